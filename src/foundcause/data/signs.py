"""The minus of typesetters and accountants, and signs of money."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foundcause.data.units import MULTIPLIER

CURRENCY = (
    r"US\$|R\$|S?Fr\.|[$€£¥₹₩₽₺]|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|SGD"
    "|HKD|TRY"
)

_ENCLOSED = re.compile(rf"({CURRENCY})?\s*\(([^()]*\d[^()]*)\)")
_DASH = re.compile(rf"(?<![\w.,)])[\u2010-\u2013](?=\s*(?:{CURRENCY})?\s*[\d.,])")  # a minus, as typesetters write it
_NO_MONEY = re.compile(rf"^(?:({CURRENCY})\s*[-\u2013\u2014]|[-\u2013\u2014]\s*({CURRENCY}))$")  # of accountants
_NO_CENTS = re.compile(r"(?<=\d)[.,][-\u2013\u2014]{1,2}(?=\s|$)")  # 500.- of Switzerland
_MULTIPLIED = re.compile(rf"([-+]?[\d.,]*\d)\s?({MULTIPLIER})\.?\s?({CURRENCY})")


def with_leading_sign(words: Sequence[str], *, minus: bool = False) -> list[str]:
    """Words with '(12.50)' and '12.50-' as '-12.50', '$ -' as '$ 0', and '1.2M USD' as 'USD 1.2M'.

    Parentheses around all words are no sign unless ``minus``.
    """
    texts = [_DASH.sub("-", _NO_CENTS.sub("", word).replace("\u2212", "-")).strip() for word in words]
    texts = [_NO_MONEY.sub(r"\1\2 0", text) for text in texts]
    texts = [f"{match[3]} {match[1]}{match[2]}" if (match := _MULTIPLIED.fullmatch(text)) else text for text in texts]
    enclosed = [_ENCLOSED.fullmatch(text) for text in texts]
    if minus or not all(enclosed):
        texts = [f"-{match[1] or ''}{match[2]}" if match else text for text, match in zip(texts, enclosed, strict=True)]
    return [re.sub(r"^([^-+].*\d)-$", r"-\1", text) for text in texts]
