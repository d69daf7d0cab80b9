// A program with an embedded store and without PGlite: the entry loads, and the error names the package.
import assert from "node:assert/strict";
import { PawlError } from "@pawl/core";
import { embeddedStore } from "@pawl/postgres/embedded";

await assert.rejects(embeddedStore(), (error) => {
  assert.ok(PawlError.is(error, "config"), String(error));
  assert.match(error.message, /npm install @electric-sql\/pglite@\d/);
  return true;
});
