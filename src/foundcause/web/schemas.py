"""The JSON of the API, as OpenAPI describes it. The result itself is the JSON of ``Result.to_json``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=2000)]
Edge = tuple[Name, Name] | Annotated[str, Field(min_length=1, max_length=4000)]
_MANY = 20_000


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str


class JobView(BaseModel):
    """How far a piece of work is."""

    id: str
    state: Literal["waiting", "running", "done", "refused", "failed", "cancelled"]
    place: int | None = Field(description="Position in the queue, 1 is next. Null if it does not wait.")
    stage: str = Field(description="The current stage.")
    done: int
    total: int = Field(description="Steps in this stage, 0 if unknown.")
    error: str = Field(description="Why it was refused, failed or cancelled. Otherwise empty.")


class ColumnView(BaseModel):
    """How a column was read."""

    name: str
    kind: str
    encoding: str
    missing: float
    distinct: int
    role: Literal["variable", "excluded", "dropped"]
    reason: str


class Description(BaseModel):
    """A table as it was read."""

    rows: int
    sampled_rows: int
    columns: list[ColumnView]
    findings: list[dict[str, Any]]


class TableView(BaseModel):
    """An uploaded table; ``description`` comes when ``read`` is done."""

    id: str
    name: str
    bytes: int
    read: JobView
    description: Description | None
    discoveries: list[JobView]


class SessionView(BaseModel):
    """What this session holds, oldest first."""

    tables: list[TableView]


class About(BaseModel):
    """The server and its limits."""

    version: str
    slots: int = Field(description="Discoveries that run at a time.")
    upload_bytes: int
    rows: int
    columns: int
    n_passes: int = Field(description="Most passes of a discovery.")
    discover_seconds: float
    files: list[str] = Field(description="Exports that each discovery offers.")


class KnowledgeBody(BaseModel):
    """The fields of ``foundcause.Knowledge``."""

    model_config = ConfigDict(extra="forbid")

    tiers: list[list[Name]] = Field(default=[], max_length=200, description="Earliest first.")
    forbidden: list[Edge] = Field(default=[], max_length=_MANY, description="[cause, effect] or 'cause -> effect'.")
    required: list[Edge] = Field(default=[], max_length=_MANY, description="[cause, effect] or 'cause -> effect'.")
    forbid_within_tiers: bool = False
    roots: list[Name] = Field(default=[], max_length=_MANY, description="Columns without causes, measured or hidden.")
    sinks: list[Name] = Field(default=[], max_length=_MANY, description="Columns that cause nothing.")


class DiscoveryBody(BaseModel):
    """How to discover."""

    model_config = ConfigDict(extra="forbid")

    knowledge: KnowledgeBody | None = None
    n_passes: int = Field(default=10, ge=1, description="Passes over resampled rows, bounded by `/api/about`.")
    random_state: int = Field(default=0, ge=0, le=2**31 - 1)
    threshold: float | None = Field(default=None, ge=0, le=1, description="Null adapts it to the table.")
    drop: list[Name] = Field(default=[], max_length=_MANY, description="Columns to leave out.")
    nominal: list[Name] = Field(default=[], max_length=_MANY, description="Columns whose numbers are codes.")


class GivenPairs(BaseModel):
    """The edges (i, j) that knowledge forbids or requires, by rows of the result's matrices."""

    forbidden_pairs: list[tuple[int, int]]
    required_pairs: list[tuple[int, int]]
