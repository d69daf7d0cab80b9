import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../src/index.ts";
import { serve } from "../support/served.ts";

describe("W6 a NUL in a path or query", () => {
  it.each([[{}], [{ dialect: aiSdk() }]])(
    "answers 400 on every route, once the caller is known",
    async (options) => {
      const { ask, errors } = await serve(scriptedModel([]), options);
      const paths = ["", "/events", "/stream"].map((route) => `/sessions/a%00b${route}`);
      paths.push("/sessions?agent=%00", "/sessions/a/events?after=%00");
      if ("dialect" in options) paths.push("/runs/%00", "/runs/%00/stream");
      for (const path of paths) {
        const response = await ask(path);
        expect([path, response.status]).toEqual([path, 400]);
        expect(await response.json()).toMatchObject({ error: { code: "invalid_input" } });
        expect((await ask(path, { as: null })).status).toBe(401);
      }
      expect((await ask("/sessions/a%00b/stop", { method: "POST" })).status).toBe(400);
      // A name that only looks like one.
      expect((await ask("/sessions/a%2500b")).status).toBe(404);
      expect(errors).toEqual([]);
    },
  );
});
