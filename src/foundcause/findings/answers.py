"""Sentences about the limits of a table and of its answer."""

from foundcause.findings.finding import Entry

ANSWERS: dict[str, Entry] = {
    # A text without figures: what older result files hold, and remarks that no check has turned into data yet.
    "remark": Entry("caution", lambda finding: str(finding.details["text"])),
}
