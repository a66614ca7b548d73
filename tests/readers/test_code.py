"""Program text: each definition is a section with its name as the title, stands whole in its passage where it fits, and
is found by its name."""

import time
from pathlib import Path

import pytest

from shared.domain.draft import DocumentDraft
from shared.domain.edits import Regroup
from shared.domain.geometry import TextRange
from shared.domain.operations import RegisterChunk, RegisterSection, Skip, Standing
from shared.domain.page import PageFile
from shared.extraction.assemble import assemble
from shared.extraction.edits.replay import EditedPages, regrouped
from shared.extraction.structure import operations_of_structure
from shared.extraction.validate import validate_operations
from shared.readers.code.blocks import blocks_of
from shared.readers.code.format import ENDINGS
from shared.readers.code.languages import LANGUAGES
from shared.readers.formats import StructuredFormat
from shared.readers.registry import recognise
from shared.readers.text.plain import CODE_CHARACTERS

PYTHON = '''"""A module."""
import os

LIMIT = 3


# Reads what is written.
@final
class Parser:
    """Says what it is."""

    size = 1

    # Of one line.
    def parse(self, text: str) -> str:
        """def hidden(): is no definition."""
        return text

    async def größe(
        self,
    ) -> int:
        return 1

    after = 2


def main():
    def inner():
        return os.sep
    return inner()
'''
SAMPLES = {
    "a.js": (
        "import x from 'y';\n\n/** Adds. */\nexport const add = (a, b) => {\n  return a + b; // }\n};\n"
        "export default class Shape extends Base {\n  #area() {\n    return /[{]/.test(`${x}{`);\n  }\n"
        "  static of({ a, b } = {}) {\n    if (a) {\n    }\n    return 1;\n  }\n  [Symbol.iterator]() {\n"
        "    return 1;\n  }\n}\nfunction* last(a) {\n}\n"
        "const api = {\n  send(x) {\n    return 1;\n  },\n  get: function (a) {\n    return 2;\n  },\n};\n",
        ["add", "Shape", "Shape/#area", "Shape/of", "Shape/[Symbol.iterator]", "last", "send", "get"],
    ),
    "a.ts": (
        "export interface Point<T, U> {\n  x: number;\n}\nexport type Names =\n  | 'a'\n  | 'b';\n"
        "abstract class Pen implements A, B {\n  draw<T>(x: Map<string, T>): { a: T } {\n    return y;\n  }\n}\n"
        "namespace Deep.er {\n  enum Kind {\n    A,\n  }\n}\n",
        ["Point", "Names", "Pen", "Pen/draw", "Deep.er", "Deep.er/Kind"],
    ),
    "A.java": (
        "package a;\n\n/** One. */\n@Ann(\"x\")\npublic class A<T> extends B {\n  int x = f(1);\n  @Override\n"
        "  public int get(int y) throws E {\n    if (y > 1) {\n      return '}';\n    }\n  }\n  A() {\n  }\n}\n"
        "interface I {\n  void call(String s);\n}\nrecord P(int x, int y) {\n}\n",
        ["A", "A/get", "A/A", "I", "I/call", "P"],
    ),
    "a.c": (
        "#include <a.h>\n#define X(y) { y\n\ntypedef struct {\n  int a;\n} pair_t;\n\nstruct node {\n"
        "  struct node *next;\n};\n"
        "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return '{';\n}\n"
        "static int\ng(void)\n{\n  int a[] = {1, 2};\n}\nEXPORT(int) h(int (*cb)(void)) {\n}\nint proto(int);\n",
        ["pair_t", "node", "f", "g", "h", "proto"],
    ),
    "a.hpp": (
        "namespace a::b {\ntemplate <class T>\nclass Foo : public Bar<T> {\n public:\n  Foo() : x{1}, y(2) {\n  }\n"
        "  ~Foo() {\n  }\n  bool operator==(const Foo &o) const {\n    return true;\n  }\n};\n}\n"
        "std::function<int(int)> Foo::get() const {\n}\nenum class Color : int {\n  Red\n};\n",
        ["a::b", "a::b/Foo", "a::b/Foo/Foo", "a::b/Foo/~Foo", "a::b/Foo/operator==", "Foo::get", "Color"],
    ),
    "a.cs": (
        "using System;\nnamespace N.M {\n  public class C {\n    [Attr(\"{\")]\n    public int P { get; set; }\n"
        "    public int Twice(int x) => x * 2;\n    public void Do() {\n      var s = @\"a\"\"{\";\n    }\n  }\n}\n",
        ["N.M", "N.M/C", "N.M/C/Twice", "N.M/C/Do"],
    ),
    "a.go": (
        "package a\n\ntype Parser struct {\n\tx interface{}\n}\n\n// Parse parses.\n"
        "func (p *Parser) Parse(m map[string]interface{}) (err error) {\n\treturn `}`\n}\n\ntype ID int\n\n"
        "func New() interface{} {\n\treturn nil\n}\n",
        ["Parser", "(p *Parser) Parse", "ID", "New"],
    ),
    "a.rs": (
        "/// A point.\n#[error(\"[{}] \")]\npub struct Point<'a> {\n    x: &'a str,\n}\n"
        "impl<'a> fmt::Display for Point<'a> {\n"
        "    fn fmt(&self) -> R {\n        let c = '{';\n    }\n}\ntrait Draw {\n    fn draw(&self);\n}\nstruct Unit;\n"
        "mod tests {\n    fn ok<T>()\n    where\n        T: Copy,\n    {\n    }\n    fn next() {\n    }\n}\n",
        ["Point", "fmt::Display for Point<'a>", "fmt::Display for Point<'a>/fmt", "Draw", "Draw/draw", "Unit",
         "tests", "tests/ok", "tests/next"],
    ),
    "a.php": (
        "<p>it's</p>\n<?php\nnamespace A\\B;\nabstract class C {\n  // it's {\n  public function &go($x) {\n"
        "    return \"}\";\n  }\n  abstract function no();\n}\nfunction free() {\n}\n",
        ["C", "C/go", "C/no", "free"],
    ),
    "a.kt": (
        "data class A(val x: Int) {\n    fun b(): Int = x + 1\n\n    fun String.c() {\n    }\n}\nobject O {\n}\n"
        "class Bare\n",
        ["A", "A/b", "A/String.c", "O", "Bare"],
    ),
    "a.swift": (
        "struct S: P {\n    init(x: Int) {\n    }\n    func go<T>(_ a: T) -> Int {\n        1\n    }\n}\n"
        "extension S {\n}\n",
        ["S", "S/init", "S/go", "S"],
    ),
    "a.rb": (
        "module M\n  class C < D\n    # Says it.\n    def self.go(x)\n      x if x\n    end\n\n"
        "    def ok? = true\n  end\nend\n",
        ["M", "M/C", "M/C/self.go", "M/C/ok?"],
    ),
    "a.lua": ("local function a(x)\n  return x\nend\nfunction M.b:c()\nend\n", ["a", "M.b:c"]),
    "a.sh": (
        "#!/bin/sh\ncat <<EOF\nf() {\nEOF\n\n# Says it.\nrun() {\n  case $1 in\n    a) echo '}';;\n  esac\n}\n"
        "function go {\n  :\n}\n",
        ["run", "go"],
    ),
    "a.sql": (
        "-- All of them.\nCREATE TABLE IF NOT EXISTS public.users (\n  id int -- ;\n);\ncreate index i on users (id);\n"
        "create or replace function f() returns int as $x$ select 1; create table no (); $x$ language sql;\n"
        "CREATE PROCEDURE p()\nBEGIN\n  IF 1 THEN SELECT ';'; END IF;\nEND;\nCREATE VIEW \"My View\" AS SELECT 1;\n",
        ["public.users", "f", "p", '"My View"'],
    ),
}  # fmt: skip


def read(folder: Path, name: str, text: str) -> tuple[list[PageFile], DocumentDraft]:
    path = folder / name
    path.write_bytes(text.encode())
    form = recognise(path)
    assert isinstance(form, StructuredFormat)
    with form.open(path, None) as source:
        pages = [source.read_page(number) for number in range(1, source.page_count + 1)]
    operations = [operations_of_structure(page) for page in pages]
    assert [error for pair in zip(pages, operations, strict=True) for error in validate_operations(*pair)] == []
    return pages, assemble(zip(pages, operations, strict=True))


def paths(draft: DocumentDraft) -> list[str]:
    found: list[str] = []
    for section in draft.sections:
        found.append(f"{found[section.parent]}/{section.title}" if section.parent is not None else section.title)
    return found


def passage(draft: DocumentDraft, title: str) -> str:
    return next(
        chunk.content
        for chunk in draft.chunks
        if chunk.section is not None and draft.sections[chunk.section].title == title
    )


def test_classes_methods_and_functions_are_sections_within_each_other(tmp_path: Path) -> None:
    _, draft = read(tmp_path, "a.py", PYTHON)
    assert paths(draft) == ["Parser", "Parser/parse", "Parser/größe", "main"]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_language_has_its_definitions_as_sections(tmp_path: Path, name: str) -> None:
    text, expected = SAMPLES[name]
    assert paths(read(tmp_path, name, text)[1]) == expected


def test_what_a_header_declares_is_a_section_and_what_it_calls_or_makes_is_none(tmp_path: Path) -> None:
    text = (
        '#define URL "http://a//b"\nstruct forward;\n\n/** Adds two. */\nint add(int a, int b);\n'
        "extern const char *name_of(struct forward *f) __attribute__((pure));\nstatic int (*handler)(int);\n"
        'typedef void (*callback)(int, char);\nSTACK_OF(X) *list;\nint STACK(int);\nMODULE_LICENSE("GPL");\n'
        'Foo bar(3);\nFoo baz("x // y");\nint v = f(3);\nnamespace n {\nclass K {\n  K();\n'
        "  virtual int size() const = 0;\n  int field;\n};\n}\n"
    )
    draft = read(tmp_path, "a.h", text)[1]
    assert paths(draft) == ["add", "name_of", "n", "n/K", "n/K/size"]
    [said] = [one.content for one in draft.chunks if "int add" in one.content]
    assert said == "/** Adds two. */\nint add(int a, int b);"


def test_methods_that_an_interface_names_are_sections_and_its_fields_are_not(tmp_path: Path) -> None:
    text = (
        "export interface Shape {\n  /** In m2. */\n  area(): number;\n  readonly name: string;\n"
        "  resize?<T>(by: T, to: { w: number }): void\n  onChange: (x: number) => void;\n  url: 'http://x//y'\n}\n"
        "abstract class A {\n  abstract run(): void;\n  go() {\n    const o = { a: f() };\n"
        "    return x ? y(): z;\n  }\n}\n"
        "const u = 'http://x';\n"
    )
    draft = read(tmp_path, "a.ts", text)[1]
    assert paths(draft) == ["Shape", "Shape/area", "Shape/resize", "Shape/onChange", "A", "A/run", "A/go"]
    assert "/** In m2. */\n  area(): number;" in "".join(one.content for one in draft.chunks)


def test_a_template_within_a_template_hides_nothing_behind_it(tmp_path: Path) -> None:
    text = "const t = `a ${f(`//{`)} b ${g({ a: 1 })}`;\nfunction k() {\n  return 1;\n}\n"
    assert paths(read(tmp_path, "a.js", text)[1]) == ["k"]


def test_there_is_a_sample_of_every_language() -> None:
    read_as = {recognise_name(name) for name in [*SAMPLES, "a.py"]}
    assert read_as == set(LANGUAGES) == set(ENDINGS)


def recognise_name(name: str) -> str:
    return next(language for language, endings in ENDINGS.items() if name.endswith(endings))


def test_a_definition_stands_with_its_comment_and_decorator_in_one_passage(tmp_path: Path) -> None:
    _, draft = read(tmp_path, "a.py", PYTHON)
    assert passage(draft, "Parser").startswith("# Reads what is written.\n@final\nclass Parser:\n")
    assert passage(draft, "parse") == (
        "    # Of one line.\n    def parse(self, text: str) -> str:\n"
        '        """def hidden(): is no definition."""\n        return text'
    )
    assert passage(draft, "main").endswith("    return inner()")


def test_what_follows_a_method_stands_in_the_class_and_what_precedes_all_in_no_section(tmp_path: Path) -> None:
    _, draft = read(tmp_path, "a.py", PYTHON)
    after = next(chunk for chunk in draft.chunks if chunk.content == "    after = 2")
    assert after.section is not None
    assert draft.sections[after.section].title == "Parser"
    assert draft.chunks[0].section is None
    assert draft.chunks[0].content.startswith('"""A module."""')


def test_a_title_is_the_name_as_it_stands_in_the_file(tmp_path: Path) -> None:
    pages, _ = read(tmp_path, "a.py", PYTHON)
    places: list[str] = []
    for page in pages:
        texts = {fragment.id: fragment for fragment in page.fragments}
        for one in page.structure or []:
            if isinstance(one, RegisterChunk) and one.stands and one.stands.title:
                line, _, part = one.stands.title.partition("[")
                start, end = map(int, part.removesuffix("]").split(":"))
                place = texts[line].place
                assert isinstance(place, TextRange)
                places.append(PYTHON[place.start + start : place.start + end])
    assert places == ["Parser", "parse", "größe", "main"]


@pytest.mark.parametrize(
    ("name", "title", "keys"),
    [
        ("a.py", "parse", ["parser.parse", "parse"]),
        ("a.go", "(p *Parser) Parse", ["parser.parse", "parse"]),
        ("a.hpp", "Foo::get", ["foo.get", "get"]),
        ("a.rs", "fmt", ["point.fmt", "fmt"]),
        ("a.sql", "public.users", ["public.users", "users"]),
        ("a.sql", '"My View"', ["myview"]),
        ("a.rb", "self.go", ["m.c.self.go", "c.self.go", "self.go", "go"]),
        ("a.hpp", "operator==", ["a.b.foo.operator==", "b.foo.operator==", "foo.operator==", "operator=="]),
    ],
)
def test_a_definition_is_found_by_its_name_and_by_those_around_it(
    tmp_path: Path, name: str, title: str, keys: list[str]
) -> None:
    text = PYTHON if name == "a.py" else SAMPLES[name][0]
    draft = read(tmp_path, name, text)[1]
    assert next(section.aliases for section in draft.sections if section.title == title) == keys


def test_a_function_that_fits_is_whole_and_a_longer_one_is_cut_within_its_section(tmp_path: Path) -> None:
    body = "".join(f"    value_{n} = compute({n})\n\n    if value_{n}:\n        print({n})\n" for n in range(40))
    text = f"def short():\n    return 1\n\n\ndef long():\n{body}\n\ndef end():\n    return 2\n"
    _, draft = read(tmp_path, "a.py", text)
    of_long = [c for c in draft.chunks if c.section is not None and draft.sections[c.section].title == "long"]
    assert len(of_long) > 1
    assert all(len(chunk.content) <= CODE_CHARACTERS + chunk.content.count("\n") for chunk in of_long)
    assert all(chunk.content.startswith(("def long", "    if value_")) for chunk in of_long)
    assert [chunk.context for chunk in of_long] == ["", *["long"] * (len(of_long) - 1)]
    assert "\n".join(chunk.content for chunk in draft.chunks) == "\n".join(filter(None, text.split("\n")))


def test_functions_within_one_that_is_too_long_are_sections(tmp_path: Path) -> None:
    inner = "".join(f"  function part{n}() {{\n    return {n};\n  }}\n" for n in range(40))
    _, draft = read(
        tmp_path, "a.js", f"function outer() {{\n{inner}}}\nfunction brief() {{\n  function no() {{\n  }}\n}}\n"
    )
    assert paths(draft) == ["outer", *(f"outer/part{n}" for n in range(40)), "brief"]


@pytest.mark.parametrize(
    ("name", "text", "titles"),
    [
        ("a.sh", "read a <<< input\nx=$((1 << bits))\ny=$'it\\'s'\nf() {\n  echo 1\n}\n", ["f"]),
        ("a.sh", "cat <<EOF\nit's\nno() {\nEOF\nf() {\n  echo 1\n}\n", ["f"]),
        ("a.rb", "def a\n  p <<~T\n    it's\n  T\nend\ndef b\n  x =~ /\"/\nend\nclass C\nend\n", ["a", "b", "C"]),
        ("a.lua", "local s = [==[\nfunction no()\nend\n]] it's\n]==]\nfunction f()\nend\n", ["f"]),
        ("a.sql", "create procedure p is\n v int;\nbegin\n null;\nend;\n/\ncreate view w as select 1;\n", ["p", "w"]),
        ("a.sql", "create procedure p() begin\n case 1 when 1; end case;\nend;\ninsert into t select 1;\n", ["p"]),
    ],
)  # fmt: skip
def test_what_stands_in_strings_and_batches_ends_no_definition_and_begins_none(
    tmp_path: Path, name: str, text: str, titles: list[str]
) -> None:
    assert [section.title for section in read(tmp_path, name, text)[1].sections] == titles


@pytest.mark.parametrize(
    ("name", "text", "passages"),
    [
        ("a.ts", "class A {\n  go() {\n  }\n}\nlet n = 1;\n", ["class A {", "  go() {\n  }\n}", "let n = 1;"]),
        ("a.ts", "class A {\n  go() {\n  }\n  n = 1;\n}\n", ["class A {", "  go() {\n  }", "  n = 1;\n}"]),
        ("a.rb", "module M\n  class A\n    def go\n    end\n  end\nend\n",
         ["module M", "  class A", "    def go\n    end\n  end\nend"]),
    ],
)  # fmt: skip
def test_what_only_ends_something_is_no_passage_of_its_own(
    tmp_path: Path, name: str, text: str, passages: list[str]
) -> None:
    assert [chunk.content for chunk in read(tmp_path, name, text)[1].chunks] == passages


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_is_in_one_passage_wherever_a_file_is_broken_off(tmp_path: Path, language: str) -> None:
    name = next(name for name in ["a.py", *SAMPLES] if name.endswith(ENDINGS[language]))
    text = PYTHON if name == "a.py" else SAMPLES[name][0]
    for at in range(1, len(text), 7):
        for broken in (text[:at], text[at:]):
            if broken.strip():
                _, draft = read(tmp_path, name, broken)
                said = "\n".join(chunk.content for chunk in draft.chunks)
                assert said.split() == broken.split()


# What a definition may begin with that units go on with.
HEADS = {"{1,2},\n": "int a[][2] = {\n", "a{1}, ": "F::F() : "}


@pytest.mark.parametrize(
    ("language", "unit"),
    [
        ("javascript", "!function(){var a=1,b=function(c,d){return c?{e:d,f:[1,(g,h)=>g+h]}:null}}();"),
        ("javascript", "=/["),
        ("javascript", "{"),
        ("javascript", "a(1),b(2),foo(function(){return 1}),"),
        ("c", "words()"),
        ("c", "#if a\n{\n#else\n"),
        ("python", "x = (\n"),
        ("python", "class A:\n def f(self):\n  return [1,\n2]\n"),
        ("rust", "impl<T: A<B>> X<T> for Y<'a> { fn f<'a>() { m!{} } }\n"),
        ("shell", 'f() {\n echo "x"\n'),
        ("sql", "create procedure p begin "),
        ("c", "{1,2},\n"),
        ("c", "a{1}, "),
    ],
)
def test_reading_takes_time_in_proportion_to_the_length(tmp_path: Path, language: str, unit: str) -> None:
    def spent(size: int) -> float:
        begun = time.thread_time()
        read_only(tmp_path, ENDINGS[language][0], HEADS.get(unit, "") + unit * (size // len(unit)))
        return time.thread_time() - begun

    # What is quadratic is so each time; what the machine does beside is not.
    assert any(spent(160_000) < 9 * max(spent(40_000), 0.02) for _ in range(3))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_holds_the_reader_up(language: str) -> None:
    # What is quadratic takes several seconds for these.
    pairs = ["a ", "a.", "a b(", "a<", "a::", "=/[", '\\"', "/*", "a=>", "\n ", "def a\n", "<<A\n", "a,"]
    units = [*" .({[<\"'`/#$=:a", *pairs]
    slow: dict[str, float] = {}
    for unit in units:
        begun = time.thread_time()
        list(blocks_of(unit * (30_000 // len(unit)), LANGUAGES[language]))
        if (took := time.thread_time() - begun) > 1:
            slow[unit] = took
    assert slow == {}


def read_only(folder: Path, ending: str, text: str) -> None:
    path = folder / f"a{ending}"
    path.write_bytes(text.encode())
    form = recognise(path)
    assert isinstance(form, StructuredFormat)
    with form.open(path, None) as source:
        assert source.page_count


def test_a_title_that_is_not_in_its_chunk_is_no_valid_operation(tmp_path: Path) -> None:
    (page,), _ = read(tmp_path, "a.py", "import os\n\n\ndef f():\n    return 1\n")
    operations = operations_of_structure(page)
    first, second = operations.operations
    assert isinstance(first, RegisterChunk)
    assert isinstance(second, RegisterChunk)
    assert second.stands == Standing(depth=1, title="p1.f2[4:5]", key="f")
    moved = first.model_copy(update={"stands": second.stands})
    wrong = operations.model_copy(update={"operations": [moved, second]})
    assert validate_operations(page, wrong) == [
        "operation 0 (register_chunk): title: p1.f2[4:5] is no part of the chunk"
    ]


def test_a_passage_that_a_person_splits_keeps_its_section_where_the_name_is(tmp_path: Path) -> None:
    (page,), _ = read(tmp_path, "a.py", "def f():\n    one = 1\n    return one\n\n\nlast = 2\n")
    operations = operations_of_structure(page)
    passage = EditedPages(lambda _: (page, operations)).passage(1, ["p1.f1", "p1.f2", "p1.f3"])
    halves: list[RegisterSection | RegisterChunk | Skip] = [
        RegisterChunk(fragment_ids=ids, chunk_type="code") for ids in (["p1.f1"], ["p1.f2", "p1.f3"])
    ]
    split = regrouped(page, operations, Regroup(passage=passage, operations=halves))
    first, second, last = assemble([(page, split)]).chunks
    assert [one.content for one in (first, second, last)] == ["def f():", "    one = 1\n    return one", "last = 2"]
    assert [one.section for one in (first, second, last)] == [0, 0, None]


def test_braces_around_a_value_end_no_definition(tmp_path: Path) -> None:
    _, draft = read(tmp_path, "a.hpp", SAMPLES["a.hpp"][0])
    constructor = next(chunk.content for chunk in draft.chunks if "x{1}" in chunk.content)
    assert constructor == "  Foo() : x{1}, y(2) {\n  }"
    _, draft = read(tmp_path, "a.ts", "class A {\n  f(): { a: number } {\n    return 1;\n  }\n  g() {\n  }\n}\n")
    assert passage(draft, "f") == "  f(): { a: number } {\n    return 1;\n  }"


def test_a_bracket_that_is_never_closed_hides_nothing_behind_it(tmp_path: Path) -> None:
    _, draft = read(tmp_path, "a.py", "x = (1,\n\ndef f():\n    return 1\n\ndef g():\n    return 2\n")
    assert paths(draft) == ["f", "g"]
    assert passage(draft, "f") == "def f():\n    return 1"


def test_a_class_that_only_says_what_it_is_has_that(tmp_path: Path) -> None:
    _, draft = read(tmp_path, "a.py", 'class E(Exception):\n    """Only\nthat.\n    """\n\nx = 1\n')
    assert passage(draft, "E") == 'class E(Exception):\n    """Only\nthat.\n    """'
