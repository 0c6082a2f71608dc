#!/usr/bin/env python3
"""Proves that the lint finds what it must and leaves alone what it must: each row plants a tree."""

import json
import os
import subprocess
import sys
import tempfile

import job_kinds

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

LISTS = {
    "CMakeLists.txt": "add_subdirectory(lib)\nadd_subdirectory(test)\n",
    "lib/CMakeLists.txt": "add_subdirectory(base)\n",
    "lib/base/CMakeLists.txt": "add_library(base STATIC error.cpp)\n",
    "test/CMakeLists.txt": "add_subdirectory(base)\n",
    "test/base/CMakeLists.txt": "sluice_test(base_test SOURCES error_test.cpp)\n",
}


NAMES = {
    "lib/api/kueue/kueue_names.hpp": """namespace sluice::api {
inline constexpr char kKueueGroup[] = "kueue.x-k8s.io";
namespace condition {
inline constexpr char kFinished[] = "Finished";
inline constexpr char kBlockedOnPreemptionGates[] =
    "BlockedOnPreemptionGates";
inline constexpr char kJobFailed[] = "Failed";
}  // namespace condition
namespace reason {
inline constexpr char kSucceeded[] = "Succeeded";
}  // namespace reason
}  // namespace sluice::api
""",
}


def include(path, what):
    return {path: f"#include {what}\n"}


def cpp(text, path="lib/net/loop/a.cpp"):
    return {path: text + "\n"}


BUDGET = "test/lint/prose_budget.json"

KIND = {
    "lib/job_kinds/builtin/survey.yaml": """apiVersion: science.example/v1
kind: Survey
chart: {podLabels: science.example/, viewers: nobody}
simulation: {}
""",
}


def derived(kinds):
    """The files of these kinds, and those that are derived from them."""
    return {**kinds, **job_kinds.written_files(kinds)}


# (promise, rule, planted files, part of the expected fault, or None where there must be none)
ROWS = [
    ("api sees json", "layers", include("lib/api/meta/a.hpp", '"json/value.hpp"'), None),
    ("api does not see the engine", "layers",
     include("lib/api/meta/a.hpp", '"engine/state/state.hpp"'), "api/meta may not include engine"),
    ("the engine does not see the api", "layers",
     include("lib/engine/cycle/a.cpp", '"api/core/job.hpp"'), "engine/cycle may not include api"),
    ("the engine sees assertions", "layers", include("lib/engine/cycle/a.cpp", '"base/assert.hpp"'),
     None),
    ("the engine logs nothing", "layers", include("lib/engine/cycle/a.cpp", '"base/log.hpp"'),
     "engine sees of base only"),
    ("the engine is std only", "layers", include("lib/engine/cycle/a.cpp", "<fmt/core.h>"),
     "the standard library alone"),
    ("a right that nothing uses", "layers",
     {"test/lint/layers.py": "", **include("lib/json/a.cpp", '"base/error.hpp"')},
     "yaml may include base, and does not"),
    ("a README that says another thing than the table", "layers",
     {"test/lint/layers.py": "", "lib/base/README.md": "May include: `json`.\n"},
     "lib/base/README.md:1: layers: does not say what the table says"),
    ("kube/core is pure", "layers", include("lib/kube/core/a.cpp", '"net/http/http_client.hpp"'),
     "kube/core may not include net/http"),
    ("kube/client sees net", "layers",
     include("lib/kube/client/a.cpp", '"net/transport/tls.hpp"'), None),
    ("nothing includes sim", "layers",
     include("controller/process/a.cpp", '"sim/objects/clock.hpp"'), "may not include sim/objects"),
    ("reconcilers do not see the process", "layers",
     include("controller/reconcilers/a.cpp", '"controller/process/run.hpp"'),
     "controller/reconcilers may not include controller/process"),
    ("only json sees RapidJSON", "layers", include("lib/api/meta/a.cpp", "<rapidjson/reader.h>"),
     "not for this folder"),
    ("Beast stays out of headers", "layers",
     include("lib/net/loop/a.hpp", "<boost/beast/http.hpp>"), "not for this folder"),
    ("net's sources see Beast", "layers",
     include("lib/net/loop/a.cpp", "<boost/beast/http.hpp>"), None),
    ("libraries do not see the test library", "layers",
     include("lib/api/meta/a.cpp", "<catch2/catch_test_macros.hpp>"), "not for this folder"),
    ("an unknown folder is a fault", "layers", include("lib/misc/a.hpp", "<string>"),
     "folder misc has no row"),
    ("an include of an unknown folder is a fault", "layers",
     include("lib/api/meta/a.hpp", '"misc/a.hpp"'), "of no known folder"),
    ("an include in a comment is none", "layers",
     cpp('// #include "engine/state/state.hpp"', "lib/api/meta/a.cpp"), None),
    ("a relative include is a fault", "layers", include("lib/api/meta/a.cpp", '"job.hpp"'),
     "not written from the include root"),
    ("a function of one source has a name of its own", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nint size_of(int i) {\n}\n}  // namespace\n",
      "lib/net/loop/b.cpp": "namespace {\nbool size_of(char c) {\n}\n}  // namespace\n"},
     "size_of() has the name of a function of lib/net/loop/b.cpp"),
    ("nor has it the name of a function of a header", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nint size_of(int i) {\n}\n}  // namespace\n",
      "lib/net/loop/b.hpp": "int size_of(char c);\n"},
     "size_of() has the name of a function of lib/net/loop/b.hpp"),
    ("nor that of a function of the base, nor of the controller's other parts", "overloads",
     {"controller/jobs/a.cpp": "namespace {\nint size_of() {\n}\n}  // namespace\n",
      "controller/kinds/b.hpp": "int size_of(char c);\n"},
     "size_of() has the name of a function of controller/kinds/b.hpp"),
    ("nor that of a template", "overloads",
     {"lib/net/loop/a.cpp":
       "namespace {\ntemplate <class T> T size_of(T t) {\n}\n}  // namespace\n",
      "lib/base/b.hpp": "[[nodiscard]] int size_of(char c);\n"},
     "size_of() has the name of a function of lib/base/b.hpp"),
    ("nor has a static function", "overloads",
     {"lib/net/loop/a.cpp": "static int size_of() {\n}\n",
      "lib/net/loop/b.hpp": "int size_of(char c);\n"},
     "size_of() has the name of a function of lib/net/loop/b.hpp"),
    ("libraries are not compiled together", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nint size_of(int i) {\n}\n}  // namespace\n",
      "lib/api/meta/b.hpp": "int size_of(char c);\n"}, None),
    ("public functions may be overloads", "overloads",
     {"lib/net/loop/a.cpp":
       "namespace {\nint at(int i) {\n}\n}  // namespace\nint size_of() {\n}\n",
      "lib/net/loop/b.hpp": "int size_of(char c);\n"}, None),
    ("a constant of one source has a name of its own", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nconstexpr int kOne = 1;\n}  // namespace\n",
      "lib/net/loop/b.cpp": "namespace {\nconst std::string kOne(\"1\");\n}  // namespace\n"},
     "kOne has the name of a definition of lib/net/loop/b.cpp"),
    ("so has a type", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nstruct One {\n};\n}  // namespace\n",
      "lib/net/loop/b.cpp": "namespace {\nclass One final : public Two {\n};\n}  // namespace\n"},
     "One has the name of a definition of lib/net/loop/b.cpp"),
    ("a source that is compiled alone may repeat a constant", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nconstexpr int kOne = 1;\n}  // namespace\n",
      "lib/net/loop/b.cpp": "namespace {\nconstexpr int kOne = 1;\n}  // namespace\n",
      "lib/net/loop/CMakeLists.txt":
       "set_source_files_properties(\n    b.cpp c.cpp\n    PROPERTIES SKIP_UNITY_BUILD ON)\n"},
     None),
    ("only constants of anonymous namespaces are compared", "overloads",
     {"lib/net/loop/a.cpp": "namespace {\nconstexpr int kOne = 1;\n}  // namespace\n",
      "lib/net/loop/b.cpp": "constexpr int kOne = f();\n"}, None),
    ("the present comes from a Clock", "words", cpp("auto t = std::chrono::steady_clock::now();"),
     "take the time from a Clock"),
    ("a Clock may be asked", "words", cpp("auto t = clock_.now();"), None),
    ("rand is banned", "words", cpp("int i = rand();"), "use Prng"),
    ("a word that ends in rand is none", "words", cpp("int i = operand();"), None),
    ("random_device is banned", "words", cpp("std::random_device d;"), "take the seed"),
    ("hash maps stay out of the engine", "words",
     cpp("std::unordered_map<int, int> m;", "lib/engine/cycle/a.cpp"), "its order could reach"),
    ("hash maps may serve elsewhere", "words", cpp("std::unordered_map<int, int> m;"), None),
    ("a banned word in a comment is none", "words", cpp("/* rand() */ // std::cout"), None),
    ("a banned word in a text is none", "words", cpp('auto s = "rand()"; auto r = R"(std::cout)";'),
     None),
    ("std::cout is banned", "words", cpp("std::cout << 1;"), "write through fmt"),
    ("a note to self is a fault, in a comment too", "words", cpp("// FIX" "ME later"), "banned"),
    ("a note that names an issue may stay", "words", cpp("// TO" "DO(#12): later"), None),
    ("sleeping is banned in tests", "words",
     cpp("std::this_thread::sleep_for(1s);", "test/net/a_test.cpp"), "time is a value"),
    ("a swallowed exception is a fault", "words", cpp("try { f(); } catch (...) {}"), "swallowed"),
    ("one co_await a statement passes", "words", cpp("const auto r = co_await f(std::move(x));"),
     None),
    ("two co_awaits in a statement", "words", cpp("auto r = co_await f(co_await g());"),
     "one co_await a statement"),
    ("co_await in a condition", "words", cpp("if (co_await f()) { g(); }"), "in a condition"),
    ("co_await in a branch", "words", cpp("auto r = a ? b : co_await f();"), "use if"),
    ("co_await beside a lambda", "words", cpp("co_await f([x] { return x; });"),
     "braces or a lambda"),
    ("co_await beside an aggregate", "words", cpp("co_await f(Options{1});"), "braces or a lambda"),
    ("co_await within braces", "words", cpp("Pair p{1, co_await f()};"), "braces or a lambda"),
    ("awaitables joined by an operator", "words", cpp("co_await (f() || g());"), "hides errors"),
    ("a line of 101 columns", "columns", cpp("//" + "x" * 99), "101 columns"),
    ("a long line of one text", "columns", cpp('    {R"(' + "x" * 99 + ')",'), None),
    ("a long line of two texts", "columns", cpp('f("' + "x" * 50 + '", "' + "x" * 50 + '")'),
     "columns"),
    ("a line of 100 columns", "columns", cpp("//" + "x" * 98), None),
    ("a file of 601 lines", "lengths", cpp("\n" * 600), "601 lines"),
    ("a file of 600 lines", "lengths", cpp("\n" * 599), None),
    ("a folder without README", "readmes", {"lib/net/loop/a.hpp": ""}, "has no README.md"),
    ("a README that forgets a header", "readmes",
     {"lib/net/loop/a.hpp":
       "", "lib/net/loop/README.md": "| `b.hpp` |\n"}, "does not name `a.hpp`"),
    ("a README that names a header that is gone", "readmes",
     {"lib/net/loop/a.hpp": "", "lib/net/loop/README.md": "| `a.hpp` | x |\n| `b.hpp` | x |\n"},
     "which does not exist"),
    ("a README of the folder above", "readmes",
     {"lib/kube/core/a.hpp": "", "lib/kube/README.md": "| `core/a.hpp` | x |\n"}, None),
    ("a test that is built", "cmake",
     {**LISTS, "lib/base/error.cpp": "", "test/base/error_test.cpp": ""}, None),
    ("a test that is not built", "cmake", {**LISTS, "test/base/other_test.cpp": ""},
     "is not in test/base/CMakeLists.txt"),
    ("a name within another name is not enough", "cmake", {**LISTS, "test/base/test.cpp": ""},
     "is not in test/base/CMakeLists.txt"),
    ("a folder that is not added", "cmake",
     {**LISTS, "lib/json/CMakeLists.txt": "add_library(json)\n"}, "no add_subdirectory leads"),
    ("a sentence that begins with a noun", "prose",
     {BUDGET: "{}", **cpp("/// A queue of jobs.\n/// Returns nullopt if it is empty.")}, None),
    ("a sentence that begins with a relative clause", "prose",
     {BUDGET: "{}", **cpp("/// What a queue holds.")}, "1 sentences to rewrite, 0 are allowed"),
    ("a second sentence that begins with Of", "prose",
     {BUDGET: "{}", **cpp("// A queue. Of pods\n// only the first.")}, "1 sentences to rewrite"),
    ("a comment within a literal", "prose", {BUDGET: "{}", **cpp('f("// What");')}, None),
    ("a literal with a word of position", "prose",
     {BUDGET: "{}", **cpp('f("the limit stands here");')}, "1 sentences to rewrite"),
    ("a header that does not say what it is", "prose",
     {BUDGET: "{}", "lib/net/a.hpp": "#pragma once\n"}, "1 sentences to rewrite"),
    ("a header that says what it is", "prose",
     {BUDGET: "{}", "lib/net/a.hpp": "// A queue of jobs.\n#pragma once\n"}, None),
    ("a README that begins a sentence with What", "prose",
     {BUDGET: "{}", "lib/net/README.md": "A. What it is:\n\n    What is code\n"},
     "1 sentences to rewrite"),
    ("as many sentences as the budget allows", "prose",
     {BUDGET: '{"lib/net": 1}', **cpp("/// What a queue holds.")}, None),
    ("a budget that was not lowered", "prose",
     {BUDGET: '{"lib/net": 2}', **cpp("/// What a queue holds.")}, "fewer than 2"),
    ("globbing", "words", {"lib/CMakeLists.txt": "file(GLOB all *.cpp)\n"}, "globbing"),
    ("a script that cannot be run", "scripts",
     {"test/a.sh": "#!/usr/bin/env bash\nset -euo pipefail\n"}, "not executable"),
    ("a careless script", "scripts", {"test/a.sh": "#!/usr/bin/env bash\necho\n"},
     "set -euo pipefail"),
    ("a careless expansion", "shell",
     {"test/a.sh": "#!/usr/bin/env bash\nset -euo pipefail\nrm -r $1\n"}, "Double quote"),
    ("a careful one", "shell",
     {"test/a.sh": "#!/usr/bin/env bash\nset -euo pipefail\nrm -r \"$1\"\n"}, None),
    ("a script without an ending is one too", "shell",
     {".ci/run": "#!/usr/bin/env bash\nset -euo pipefail\nrm -r $1\n"}, "Double quote"),
    ("a citation of a text that is not here", "citations", cpp("/// Its rule (sp" "ec 2.3)."),
     "state the rule itself"),
    ("a citation of the other text", "citations", {"README.md": "See sur" "faces 1.2 on it.\n"},
     "README.md:1:"),
    ("a citation over two lines", "citations", cpp("// as in sp" "ec\n// 4.10, step 2"),
     "state the rule itself"),
    ("a number after a spec that is no chapter", "citations",
     cpp("// its spec; 4.5 cores; spec 3; surfaces of it"), None),
    ("the home of the names", "names", NAMES, None),
    ("a home without condition types", "names",
     {"lib/api/kueue/kueue_names.hpp": "namespace sluice::api {}\n"},
     "no condition types are found"),
    ("a label written out", "names", cpp('f("kueue.x-k8s.io/queue-name");'),
     "lib/net/loop/a.cpp:1: names:"),
    ("a group of Kueue's written out", "names",
     cpp('\n f(R"(config.kueue.x-k8s.io/v1beta2)");', "controller/process/a.cpp"),
     "controller/process/a.cpp:2: names:"),
    ("a name in a message", "names", cpp('f("no kind of kueue.x-k8s.io");'), None),
    ("a name in a comment", "names", {**NAMES, **cpp('// "Finished", "kueue.x-k8s.io/podset"')},
     None),
    ("a condition type written out", "names", {**NAMES, **cpp('is_true(w, "Finished");')},
     '"Finished" is a name of Kueue'),
    ("a condition type compared with", "names",
     {**NAMES, **cpp('if (c.type_ == "BlockedOnPreemptionGates") {')}, "is a name of Kueue"),
    ("a condition type by its constant", "names",
     {**NAMES, **cpp("is_true(w, api::condition::kFinished);")}, None),
    ("a condition type within a message", "names", {**NAMES, **cpp('f("Finished at {}", t);')},
     None),
    ("a condition type that others have too", "names", {**NAMES, **cpp('f("Failed");')}, None),
    ("a heading of kubectl's columns", "names",
     {**NAMES, **cpp('{"Finished", ".status"}', "lib/api/schema/crd.cpp")}, None),
    ("a test writes the names out", "names",
     {**NAMES, **cpp('f("Finished", "kueue.x-k8s.io/podset");', "test/net/a_test.cpp")}, None),
    ("lists that are derived from the kinds", "job-kinds", derived(KIND), None),
    ("a kind that is not in the lists", "job-kinds", {**derived({}), **KIND},
     "_known_kinds.tpl:1: job-kinds: is not derived from lib/job_kinds/builtin"),
    ("a list that is missing", "job-kinds", KIND, "kinds.cmake:1: job-kinds: is not derived"),
    ("a kind in a file of another name", "job-kinds",
     {"lib/job_kinds/builtin/census.yaml": KIND["lib/job_kinds/builtin/survey.yaml"]},
     "census.yaml:1: job-kinds: is not named after its kind: survey.yaml"),
    ("a key of the chart that is not known", "job-kinds",
     {path: text.replace("viewers", "readers") for path, text in KIND.items()},
     "survey.yaml:1: job-kinds: unknown key chart.readers"),
    ("a value of the chart that would widen rights", "job-kinds",
     {path: text.replace("nobody", "nobdy") for path, text in KIND.items()},
     "survey.yaml:1: job-kinds: chart.viewers is not one of administrators, nobody"),
    ("ill-formatted code", "format", cpp("int   f( );"), "would change it"),
    ("well-formatted code", "format", cpp("int f();"), None),
]


# A rule that needs a program says so where there is none: (rule, planted files).
WITHOUT_PROGRAMS = [
    ("shell", {"test/a.sh": "#!/usr/bin/env bash\nset -euo pipefail\n"}),
    ("format", cpp("int f();")),
]

ONE = cpp("/// What a queue holds.")  # one sentence of lib/net to rewrite

# (promise, planted files, exit code, part of the output, the budget afterwards)
BUDGET_WRITES = [
    ("a number that rises is refused and named", {BUDGET: '{"lib/net": 0}', **ONE}, 1,
     "lib/net: 1 sentences to rewrite, 0 are allowed", {"lib/net": 0}),
    ("a folder that gets a number is refused", {BUDGET: '{"lib/json": 4}', **ONE}, 1,
     "lib/net: 1 sentences to rewrite, 0 are allowed", {"lib/json": 4}),
    ("a number that falls is written", {BUDGET: '{"lib/net": 2, "lib/json": 1}', **ONE}, 0, "",
     {"lib/net": 1}),
]


def plant(root, files):
    """Writes the files into a folder."""
    for path, text in files.items():
        absolute = os.path.join(root, path)
        os.makedirs(os.path.dirname(absolute), exist_ok=True)
        with open(absolute, "w", encoding="utf-8") as file:
            file.write(text)


def run(files, rule, environment=None):
    """The output and exit code of the lint over a tree of these files."""
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(ROOT, ".clang-format"), encoding="utf-8") as file:
            plant(root, {**files, ".clang-format": file.read()})
        result = subprocess.run(
            [sys.executable, os.path.join(HERE, "lint.py"), "--root", root, rule],
            capture_output=True, text=True, check=False, env=environment,
        )
    return result.stdout + result.stderr, result.returncode


def write_budget(files):
    """The output and exit code of `prose.py --write` over a tree of these files, and its budget."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, files)
        result = subprocess.run(
            [sys.executable, os.path.join(HERE, "prose.py"), "--root", root, "--write"],
            capture_output=True, text=True, check=False,
        )
        with open(os.path.join(root, BUDGET), encoding="utf-8") as file:
            return result.stdout + result.stderr, result.returncode, json.load(file)


def main():
    failed = 0
    for promise, rule, files, expected in ROWS:
        output, code = run(files, rule)
        right = expected in output and code == 1 if expected else code == 0
        if not right:
            failed += 1
            print(f"FAILED: {promise}: expected {expected or 'no fault'}, exit {code}\n{output}")
    for rule, files in WITHOUT_PROGRAMS:
        output, code = run(files, rule, {"PATH": "/nonexistent"})
        if code != 1 or "is not installed" not in output:
            failed += 1
            print(f"FAILED: without its program {rule} is no success, exit {code}\n{output}")
    for promise, files, expected_code, expected, expected_budget in BUDGET_WRITES:
        output, code, budget = write_budget(files)
        if code != expected_code or expected not in output or budget != expected_budget:
            failed += 1
            print(f"FAILED: {promise}: exit {code}, budget {budget}\n{output}")
    count = len(ROWS) + len(WITHOUT_PROGRAMS) + len(BUDGET_WRITES)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
