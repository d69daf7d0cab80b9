import assert from "node:assert/strict";
import { type FileCheck, refuses } from "./file-bench.ts";

/** Paths that lead out of their folder, or that some stores cannot keep. */
const refused: readonly string[] = [
  "",
  "/",
  "/etc/passwd",
  "notes/",
  "notes//oslo.md",
  ".",
  "..",
  "../oslo.md",
  "notes/../../oslo.md",
  "notes/./oslo.md",
  "notes/..",
  "..\\oslo.md",
  "C:\\oslo.md",
  "oslo\0.md",
  "oslo\n.md",
  "oslo\u0085.md",
  "half \ud800.md",
  "x".repeat(201),
  "é".repeat(34),
  Array.from({ length: 90 }, () => "123456789").join("/"),
];

/** Unusual but valid paths, each of a different file. */
const strange: readonly string[] = [
  "README.md",
  "readme.md",
  "Readme.MD",
  "readme=2emd",
  "=",
  "==",
  "a",
  "a=",
  "a=.md",
  "a/b",
  "a/b.md",
  "a.md/b.md",
  "a.md",
  "A",
  "%2e%2e",
  "..%2foslo.md",
  "...",
  "..oslo.md",
  ".oslo.md",
  "oslo.md.",
  "oslo.md ",
  " oslo.md",
  "oslo?x=1#y.md",
  "oslo&lt;.md",
  "morning pages.md",
  "con",
  "con.md",
  "com1.tar.gz",
  "nul/aux.md",
  "c:oslo.md",
  "note.md:stream",
  "~",
  "~/oslo.md",
  "*'!()$@,;+.md",
  "a_b/x.md",
  "axb/x.md",
  "a%b/x.md",
  "{a,b}.md",
  "-rf",
  "__proto__",
  "constructor",
  "ß.md",
  "ss.md",
  "é.md",
  "É.md",
  "İstanbul.md",
  "漢字🏋️‍♀️.md",
  "\u202eright to left.md",
  "\uff0e\uff0e\uff0fetc.md",
  "no\u200dte.md",
  "x".repeat(199),
];

/** Checks of paths. */
export const filePathChecks: readonly FileCheck[] = [
  {
    name: "X1 paths that lead elsewhere are refused by every method, and nothing is written",
    async run({ at, files, paths }) {
      await files.put(at("oslo.md"), "x");
      for (const path of refused) {
        const what = JSON.stringify(path);
        await refuses(() => files.put(path, "x"), "invalid_input", what);
        await refuses(() => files.get(path), "invalid_input", what);
        await refuses(() => files.delete(path), "invalid_input", what);
        if (path !== "") await refuses(() => files.list(path), "invalid_input", what);
      }
      assert.deepEqual(await paths(), ["oslo.md"]);
    },
  },
  {
    name: "X1 strange names come out as they went in, and none is taken for another",
    async run({ at, files, paths, text }) {
      for (const path of strange) await files.put(at(path), path);
      for (const path of strange) assert.equal(await text(path), path);
      assert.deepEqual(await paths(), strange.toSorted());
      for (const path of strange) {
        await files.delete(at(path));
        await refuses(() => files.get(at(path)), "not_found", path);
      }
      assert.deepEqual(await paths(), []);
    },
  },
  {
    name: "X1 the two ways to write an accent are one file",
    async run({ at, files, paths, text }) {
      await files.put(at("cafe\u0301/cafe\u0301.md"), "old");
      await files.put(at("caf\u00e9/caf\u00e9.md"), "new");
      assert.equal(await text("cafe\u0301/cafe\u0301.md"), "new");
      assert.deepEqual(await paths("cafe\u0301"), ["caf\u00e9/caf\u00e9.md"]);
      assert.equal((await files.get(at("cafe\u0301/cafe\u0301.md"))).path, at("caf\u00e9/caf\u00e9.md"));
    },
  },
];
