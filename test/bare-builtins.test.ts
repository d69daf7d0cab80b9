import { expect, it } from "vitest";
import { findBareBuiltins } from "./packed/bare-builtins.mjs";

it("finds Node's modules that are imported without `node:`, however they are imported", () => {
  const code = [
    'import assert from "assert/strict";',
    'import {\n  createHmac,\n  hash\n} from "crypto";',
    'import "events";',
    'export * from "path";',
    'const fs = await import("fs");',
    'const url = require("url");',
    'import http from "node:http";',
    'import { agent } from "@pawl/core";',
    'console.log("import it from crypto");',
  ].join("\n");
  expect(findBareBuiltins(code)).toEqual(["assert/strict", "crypto", "events", "path", "fs", "url"]);
});
