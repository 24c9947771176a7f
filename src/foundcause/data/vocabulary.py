"""Words that are known: spellings of a missing value, pairs for true and false, what levels are called."""

from __future__ import annotations

NO_VALUE = frozenset(
    {
        "",
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "#na",
        "<na>",
        "nan",
        "-nan",
        "nat",
        "null",
        "<null>",
        "(null)",
        "\\n",
        "?",
        ".",
        "..",
        "...",
        "…",
        *(f":{blank}{flag}".strip() for flag in ("", "c", "m", "n", "u", "z") for blank in ("", " ")),  # of Eurostat
        "./.",  # of genotypes
        ".|.",
        "#value!",
        "#ref!",
        "#div/0!",
        "#null!",
        "#num!",
        "0000-00-00",
        "0000-00-00 00:00:00",
        "00/00/0000",
        "00.00.0000",
    }
)
"""Casefolded spellings of a cell without a value."""

PERHAPS_NO_VALUE = frozenset(
    {
        "missing",
        "unknown",
        "unk",
        "-",
        "--",
        "---",
        "–",
        "—",
        "*",
        "n.d.",
        "k.a.",
        "refused",
        "not available",
        "not applicable",
        "no answer",
        "no response",
        "don't know",
        "dont know",
        "prefer not to say",
        "prefer not to answer",
        *("k. a.", "keine angabe", "keine antwort", "weiss nicht", "unbekannt"),
        *("non renseigné", "non disponible", "ne sait pas", "ne se prononce pas", "sans réponse", "inconnu"),
        *("sin datos", "no disponible", "no sabe", "no contesta", "ns/nc", "desconocido"),
        *("non disponibile", "non so", "non risponde", "sconosciuto"),
        *("sem informação", "não informado", "não disponível", "não sabe", "desconhecido"),
        *("niet beschikbaar", "weet niet", "geen antwoord", "onbekend"),
    }
)
"""Casefolded words that mostly stand for no value, but are a value in columns such as refused/accepted."""

NOTHING = frozenset({"none", "nil", "dk", "not sure"})
"""Casefolded words that are a value among words (dk: Denmark) and stand for no value among numbers and scales."""

_MISSING = NO_VALUE | PERHAPS_NO_VALUE | NOTHING

TRUTHS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1")),
    (("negative", "positive"), ("neg", "pos")),
    (("negativ", "positiv"), ("neg", "pos"), ("neg.", "pos.")),
    (("négatif", "positif"),),
    (("negativo", "positivo"),),
    (("absent", "present"),),
    (("off", "on"),),
    (("nein", "ja"), ("n", "j"), ("falsch", "wahr"), ("0", "1")),
    (("non", "oui"), ("n", "o"), ("faux", "vrai"), ("0", "1")),
    (("no", "si"), ("falso", "verdadero")),
    (("no", "sí"), ("falso", "verdadero")),
    (("no", "sì"), ("falso", "vero")),
    (("não", "sim"), ("falso", "verdadeiro")),
    (("nee", "ja"), ("n", "j"), ("onwaar", "waar")),
    (("-", "+"),),
    (("female", "male"), ("f", "m")),
    (("woman", "man"),),
    (("weiblich", "männlich"), ("w", "m"), ("frau", "mann")),
    (("femme", "homme"), ("féminin", "masculin"), ("f", "h")),
    (("mujer", "hombre"), ("femenino", "masculino")),
    (("donna", "uomo"), ("femmina", "maschio")),
    (("mulher", "homem"), ("feminino", "masculino")),
    (("vrouw", "man"), ("v", "m")),
    (("control", "treated"),),
    (("control", "treatment"),),
)
"""Pairs of words for false and true, and pairs that are always coded alike; those of one line may be spellings."""

LEVEL_WORDS = [
    "grade",
    "level",
    "stage",
    "class",
    "phase",
    "step",
    "wave",
    "year",
    "week",
    "day",
    "month",
    "quarter",
    "tier",
    "score",
    "q",
    # scales of medicine
    "asa",
    "nyha",
    "ecog",
    "figo",
    "killip",
    "gleason",
    "cin",
    "ckd",
    "ctcae",
    "gold",
    "isup",
    "who",
    "bi-?rads",
    "pi-?rads",
]


def is_missing(text: str) -> bool:
    """Whether a cell's text is a usual spelling of "no value", also one that may be a value of its own."""
    return text.strip().casefold().replace("’", "'") in _MISSING


def is_blank(text: str) -> bool:
    """Whether a cell's text is nothing but a spelling of "no value"."""
    return text.strip().casefold() in NO_VALUE
