"""Names of months and weekdays in several languages, each with its short forms, in small letters."""

from __future__ import annotations

import unicodedata

Steps = tuple[tuple[str, ...], ...]


def without_accents(word: str) -> str:
    """The word in plain letters, as it may be typed: 'aout' for 'août'."""
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _steps(words: str) -> Steps:
    return tuple(tuple(word.split("/")) for word in words.split())


ENGLISH_MONTHS = _steps(
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept"
    " october/oct november/nov december/dec"
)
ENGLISH_WEEKDAYS = _steps(
    "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun"
)
MONTHS: tuple[Steps, ...] = tuple(
    map(
        _steps,
        (
            "januar/jan/jänner/jän februar/feb/feber märz/mär/mrz april/apr mai juni/jun juli/jul august/aug"
            " september/sep/sept oktober/okt november/nov dezember/dez",
            "janvier/janv/jan février/févr/fév mars/mar avril/avr mai juin juillet/juil août septembre/sept/sep"
            " octobre/oct novembre/nov décembre/déc",
            "enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago"
            " septiembre/sep/sept/setiembre octubre/oct noviembre/nov diciembre/dic",
            "gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago settembre/set"
            " ottobre/ott novembre/nov dicembre/dic",
            "janeiro/jan fevereiro/fev março/mar abril/abr maio/mai junho/jun julho/jul agosto/ago setembro/set"
            " outubro/out novembro/nov dezembro/dez",
            "januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sep/sept"
            " oktober/okt november/nov december/dec",
        ),
    )
)
"""Those of German, French, Spanish, Italian, Portuguese and Dutch."""

WEEKDAYS: tuple[Steps, ...] = tuple(
    map(
        _steps,
        (
            "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
            "lundi/lun mardi/mar mercredi/mer jeudi/jeu vendredi/ven samedi/sam dimanche/dim",
            "lunes/lun martes/mar miércoles/mié jueves/jue viernes/vie sábado/sáb domingo/dom",
            "lunedì/lun martedì/mar mercoledì/mer giovedì/gio venerdì/ven sabato/sab domenica/dom",
            "segunda/segunda-feira terça/terça-feira quarta/quarta-feira quinta/quinta-feira sexta/sexta-feira sábado"
            " domingo",
            "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        ),
    )
)
"""Those of the same languages."""

SHORTEST_WEEKDAYS: tuple[Steps, ...] = (_steps("mo di mi do fr sa so"), _steps("ma di wo do vr za zo"))
"""Those of German and Dutch in two letters, which stand for much else: MO and MI are states, FR and SA countries."""
