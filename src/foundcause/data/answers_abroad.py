"""Scales of answers in German, French, Spanish, Italian, Portuguese and Dutch, from low to high.

Steps list the words that mean them, parted by bars, as ``fold`` writes them: 'ss' for 'ß', blanks for hyphens.
"""

from __future__ import annotations

from foundcause.data.calendar_words import MONTHS, WEEKDAYS

Step = tuple[str, ...]


def _scale(*steps: str) -> tuple[Step, ...]:
    return tuple(tuple(step.split("|")) for step in steps)


_GERMAN = (
    _scale(
        "nie|niemals", "fast nie|sehr selten", "selten", "gelegentlich", "manchmal|ab und zu|hin und wieder",
        "oft|häufig|regelmässig", "meistens|sehr oft|sehr häufig|fast immer", "immer|ständig",
    ),
    _scale("nie", "seltener", "jährlich", "monatlich", "wöchentlich", "täglich"),
    _scale(
        "sehr unzufrieden", "unzufrieden", "eher unzufrieden",
        "neutral|weder noch|teils/teils|teils teils|weder zufrieden noch unzufrieden",
        "eher zufrieden", "zufrieden", "sehr zufrieden",
    ),
    *(
        _scale(
            f"{it} überhaupt nicht zu|{it} gar nicht zu", f"{it} nicht zu", f"{it} eher nicht zu|{it} weniger zu",
            f"neutral|weder noch|teils/teils|teils teils|unentschieden|{it} teilweise zu|{it} teils zu",
            f"{it} eher zu", f"{it} zu", f"{it} voll zu|{it} völlig zu|{it} voll und ganz zu|{it} vollständig zu",
        )
        for it in ("stimme", "trifft")
    ),
    _scale("sehr niedrig|sehr gering", "niedrig|gering", "mittel|normal", "hoch", "sehr hoch"),
    _scale("sehr schlecht", "schlecht", "mittelmässig|mittel|teils/teils", "gut", "sehr gut", "ausgezeichnet"),
    _scale("ungenügend", "mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut"),
    _scale("keine|kein", "leicht", "mittel|mässig|mittelschwer", "schwer|stark", "sehr schwer|sehr stark"),
    _scale("sehr klein", "klein", "mittel|mittelgross", "gross", "sehr gross"),
    _scale("gar nicht|überhaupt nicht", "wenig|kaum", "mittelmässig|teilweise|teils", "ziemlich", "sehr"),
)  # fmt: skip
_FRENCH = (
    _scale(
        "jamais", "presque jamais|très rarement", "rarement", "occasionnellement|de temps en temps",
        "parfois|quelquefois", "souvent|régulièrement", "très souvent|presque toujours", "toujours",
    ),
    *(
        _scale(
            f"pas du tout {satisfied}|très in{satisfied}", f"in{satisfied}|pas {satisfied}|peu {satisfied}",
            f"plutôt in{satisfied}|plutôt pas {satisfied}",
            f"neutre|moyennement {satisfied}|ni {satisfied} ni in{satisfied}",
            f"plutôt {satisfied}|assez {satisfied}", satisfied, f"très {satisfied}|tout à fait {satisfied}",
        )
        for satisfied in ("satisfait", "satisfaite", "satisfait(e)")
    ),
    _scale(
        "pas du tout d'accord|tout à fait en désaccord|fortement en désaccord", "pas d'accord|en désaccord",
        "plutôt pas d'accord|plutôt en désaccord", "neutre|ni d'accord ni pas d'accord|ni en accord ni en désaccord",
        "plutôt d'accord", "d'accord", "tout à fait d'accord|entièrement d'accord|fortement d'accord",
    ),
    _scale("très faible|très bas", "faible|bas", "moyen|modéré", "élevé|fort|haut", "très élevé|très fort"),
    _scale("très faible|très basse", "faible|basse", "moyenne|modérée", "élevée|forte|haute", "très élevée|très forte"),
    _scale("très mauvais", "mauvais", "passable|moyen", "assez bon", "bon", "très bon", "excellent"),
    _scale("insuffisant", "passable", "assez bien", "bien", "très bien"),
    _scale("aucun|aucune|absent", "léger|légère", "modéré|modérée", "sévère|grave", "très sévère|très grave"),
    _scale("petit", "moyen", "grand", "très grand"),
)  # fmt: skip
_OTHERS = (
    _scale(
        "nunca", "casi nunca", "rara vez|raramente", "ocasionalmente", "a veces|algunas veces",
        "a menudo|frecuentemente|con frecuencia", "casi siempre|muy a menudo", "siempre",
    ),
    _scale("muy insatisfecho", "insatisfecho", "neutral|ni satisfecho ni insatisfecho", "satisfecho", "muy satisfecho"),
    _scale(
        "totalmente en desacuerdo|muy en desacuerdo", "en desacuerdo",
        "neutral|indiferente|ni de acuerdo ni en desacuerdo", "de acuerdo", "totalmente de acuerdo|muy de acuerdo",
    ),
    *(_scale(f"muy baj{o}", f"baj{o}", f"medi{o}|moderad{o}", f"alt{o}", f"muy alt{o}") for o in "oa"),
    _scale("muy malo", "malo", "regular", "bueno", "muy bueno", "excelente"),
    _scale(
        "mai", "quasi mai", "raramente", "occasionalmente", "a volte|qualche volta", "spesso",
        "molto spesso|quasi sempre", "sempre",
    ),
    _scale(
        "molto insoddisfatto|per niente soddisfatto", "insoddisfatto|poco soddisfatto",
        "neutrale|né soddisfatto né insoddisfatto", "abbastanza soddisfatto", "soddisfatto", "molto soddisfatto",
    ),
    _scale(
        "per niente d'accordo|fortemente in disaccordo", "in disaccordo|poco d'accordo",
        "neutrale|né d'accordo né in disaccordo", "abbastanza d'accordo", "d'accordo",
        "molto d'accordo|completamente d'accordo|totalmente d'accordo|fortemente d'accordo",
    ),
    *(_scale(f"molto bass{o}", f"bass{o}", f"medi{o}|moderat{o}", f"alt{o}", f"molto alt{o}") for o in "oa"),
    _scale("nunca", "quase nunca", "raramente", "às vezes|algumas vezes", "frequentemente", "quase sempre", "sempre"),
    _scale("muito insatisfeito", "insatisfeito", "neutro|indiferente", "satisfeito", "muito satisfeito"),
    _scale(
        "discordo totalmente", "discordo|discordo parcialmente", "neutro|não concordo nem discordo",
        "concordo|concordo parcialmente", "concordo totalmente",
    ),
    *(_scale(f"muito baix{o}", f"baix{o}", f"médi{o}|moderad{o}", f"alt{o}", f"muito alt{o}") for o in "oa"),
    _scale("nooit", "bijna nooit", "zelden", "soms", "vaak|regelmatig", "meestal|bijna altijd", "altijd"),
    _scale("zeer ontevreden", "ontevreden", "neutraal", "tevreden", "zeer tevreden"),
    _scale("helemaal mee oneens|zeer mee oneens", "oneens|mee oneens", "neutraal", "eens|mee eens",
           "helemaal mee eens|zeer mee eens"),
    _scale("zeer laag", "laag", "gemiddeld|middel|matig", "hoog", "zeer hoog"),
    _scale("zeer slecht", "slecht", "matig|redelijk", "goed", "zeer goed|uitstekend"),
)  # fmt: skip

SCALES_ABROAD: tuple[tuple[Step, ...], ...] = (
    *(*_GERMAN, *_FRENCH, *_OTHERS, *MONTHS),
    *(tuple(tuple(word.replace("-", " ") for word in step) for step in week) for week in WEEKDAYS),
)
