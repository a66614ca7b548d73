"""Upon which rows each stored statement about reviews acts."""

from typing import Any

from tests.store.acting_cases import FIRST, IN_BASE, LAST, OTHER, SERVED, Case, Own, link

OF_DOCUMENT = {"%document_id": ([Own("documents")], [OTHER])}
LOOKED_AT: dict[str, Any] = SERVED | {
    "documents.is_current": [True],
    "documents.review": (["unreviewed", "approved"], ["rejected"]),
}
FLAGGED = {"chunks.flags": ([["x"]], [[]]), "chunks.chunk_type": (["text"], [])}
UNSURE = {"pages.confidence": ([0.5], [0.85, 1.0]), "%green": ([0.85], []), "pages.status": ["ready"]}
# A decision about the chunk of the set, or about its page.
ABOUT_CHUNK = {"reviews.chunk_id": ([Own("chunks")], [])}
ABOUT_PAGE = {"pages.page": ([3], []), "reviews.page": ([3], []), "reviews.chunk_id": ([None], [])}
# What still lets it be left: the passage is another one, or has a flag more.
DECIDED = {
    "reviews.verdict": (["accepted", "corrected"], ["rejected"]),
    "reviews.flags": ([[], ["y"]], [["x"], ["x", "y"]]),
}

CASES = [
    Case("reviews.review_document", OF_DOCUMENT | {"%state": (["approved", "rejected", "unreviewed"], [])}),
    Case("reviews.left_chunks", IN_BASE | LOOKED_AT | FLAGGED | {"reviews.chunk_id": ([OTHER], [])}
         | link("chunks.document_id", "documents")),
    Case("reviews.left_chunks", LOOKED_AT | FLAGGED | ABOUT_CHUNK | DECIDED | {"reviews.stale": ([None], [])}),
    Case("reviews.left_chunks", LOOKED_AT | FLAGGED | ABOUT_CHUNK
         | {"reviews.flags": ([["x"]], []), "reviews.verdict": (["accepted", "rejected"], []),
            "reviews.stale": (["gone"], [None])}),
    Case("reviews.left_pages", IN_BASE | LOOKED_AT | UNSURE | {"pages.page": ([3], []), "reviews.page": ([4], [])}),
    Case("reviews.left_pages", LOOKED_AT | UNSURE | ABOUT_PAGE | DECIDED | {"pages.flags": ([["x"]], [])}),
    Case("reviews.left_pages", LOOKED_AT | UNSURE | ABOUT_PAGE
         | {"pages.flags": ([["x"]], []), "reviews.flags": ([["x"]], []), "reviews.verdict": (["rejected"], []),
            "reviews.chunk_id": ([Own("chunks")], [None])}),
    Case("reviews.with_rows", IN_BASE | {"%ids": ([Own("chunks", listed=True)], [[OTHER]])}),
    Case("reviews.chunks_of_page", IN_BASE | OF_DOCUMENT | FLAGGED
         | {"chunks.first_page": ([3], [4]), "%page": ([3], []), "%verdict": (["accepted", "rejected"], []),
            "reviews.chunk_id": ([OTHER], [])}),
    Case("reviews.chunks_of_page", {
        "chunks.flags": ([[]], []), "chunks.first_page": ([3], []), "%page": ([3], []),
        "%verdict": (["rejected"], ["accepted"]), "reviews.chunk_id": ([OTHER], []),
    }),
    Case("reviews.chunks_of_page", ABOUT_CHUNK | {
        "chunks.flags": ([["x"]], []), "chunks.first_page": ([3], []), "%page": ([3], []),
        "%verdict": (["rejected"], ["accepted"]), "reviews.stale": ([None], []),
        "reviews.verdict": (["accepted", "corrected"], ["rejected"]),
    }),
    Case("reviews.chunks_of_page", FLAGGED | ABOUT_CHUNK | {
        "chunks.first_page": ([3], []), "%page": ([3], []), "%verdict": (["accepted"], []),
        "reviews.stale": (["gone"], [None]), "reviews.verdict": (["rejected"], []),
    }),
    Case("reviews.flagged", OF_DOCUMENT | FLAGGED | {"%ids": ([Own("chunks", listed=True)], [[OTHER]])}),
    Case("reviews.decide_page", IN_BASE | OF_DOCUMENT | {"pages.page": ([3], [4]), "%page": ([3], [])}),
    Case("reviews.decide_chunks", IN_BASE
         | {"%ids": ([Own("chunks", listed=True)], [[OTHER]]), "%new_ids": ([[OTHER]], [])}),
    Case("reviews.take_back", IN_BASE | {"%decision_id": ([Own("reviews", "decision_id")], [OTHER])}),
    Case("reviews.list_decisions", IN_BASE | link("reviews.document_id", "documents")
         | {"%before": ([None, LAST], [Own("reviews", "decision_id"), FIRST])}),
    Case("reviews.of_document", OF_DOCUMENT),
    Case("reviews.refit", OF_DOCUMENT | {"reviews.chunk_id": ([OTHER], [None]), "reviews.stale": ([None, "x"], [])}),
    Case("reviews.refit", {
        "reviews.chunk_id": ([Own("chunks")], []), "reviews.stale": (["x"], [None]),
        "chunks.boxes": (["[]"], []), "reviews.place": (["[]"], []),
    }),
    Case("reviews.refit", {
        "reviews.chunk_id": ([Own("chunks")], []), "reviews.stale": ([None], []),
        "chunks.boxes": (['[{"page": 3, "x": 0.5}]'], []), "reviews.place": (['[{"page": 2}]'], ['[{"page": 3}]']),
    }),
]  # fmt: skip
