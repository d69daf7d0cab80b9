// Checks the modules that load with the entries for all runtimes. `node:fs` must not be among them, because
// some runtimes do not have it. zod-to-json-schema must not either: only the entry for zod 3 needs it.
import assert from "node:assert/strict";
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
await import("@pawl/core");
await import("@pawl/core/inspect");
await import("@pawl/core/model");
await import("@pawl/core/store");
await import("@pawl/core/view");
assert.ok(loaded.some((url) => url.includes("core")));
assert.deepEqual(
  loaded.filter((url) => url.includes("zod") || url.startsWith("node:fs")),
  [],
);
await import("@pawl/core/disk");
assert.ok(loaded.includes("node:fs/promises"));
await import("@pawl/core/zod3");
assert.ok(loaded.some((url) => url.includes("zod-to-json-schema")));
