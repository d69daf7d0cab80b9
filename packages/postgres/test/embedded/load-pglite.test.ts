import { PGlite } from "@electric-sql/pglite";
import { expect, it } from "vitest";
import { loadPglite } from "../../src/embedded/load-pglite.ts";

const moduleNotFound = (message: string) =>
  Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });

it("loads PGlite where it is installed", async () => {
  expect(await loadPglite()).toBe(PGlite);
});

it("says which package to install if PGlite is missing", async () => {
  const cause = moduleNotFound("Cannot find package '@electric-sql/pglite' imported from embedded.js");
  await expect(loadPglite(() => Promise.reject(cause))).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("npm install @electric-sql/pglite@0.5"),
    cause,
  });
});

it("does not call PGlite missing if only one of its files is", async () => {
  const file = "/app/node_modules/@electric-sql/pglite/dist/index.js";
  const cause = moduleNotFound(`Cannot find module '${file}' imported from embedded.js`);
  await expect(loadPglite(() => Promise.reject(cause))).rejects.toMatchObject({
    code: "store_unavailable",
    message: `PGlite cannot be loaded: ${cause.message}`,
  });
});
