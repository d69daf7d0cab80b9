import { PawlError } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk, type HandlerOptions, handler, native } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const APP = "https://app.example.com";
const cors = { origins: [APP, "http://localhost:3000"] };
const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));
const from = (origin: string) => ({ headers: { origin } });
const preflight = (origin: string) => ({
  method: "OPTIONS",
  as: null,
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
  },
});
const allowed = (response: Response) => response.headers.get("access-control-allow-origin");

describe("U10 requests of pages from other origins", () => {
  it("are allowed by a preflight that calls no authorize()", async () => {
    for (const dialect of [native(), aiSdk(), agUi()]) {
      const served = await serve(hello(), { cors, dialect, authorize: () => expect.unreachable() });
      for (const path of ["/runs", "/runs/x/stream", "/sessions/x/stop"]) {
        const { status, headers } = await served.ask(path, preflight(APP));
        expect([status, Object.fromEntries(headers)]).toMatchObject([
          204,
          {
            "access-control-allow-origin": APP,
            "access-control-allow-methods": "GET,HEAD,POST",
            "access-control-allow-headers": "authorization,content-type",
            "access-control-max-age": "7200",
            vary: expect.stringContaining("Origin"),
          },
        ]);
        expect(headers.has("access-control-allow-credentials")).toBe(false);
      }
    }
  });

  it("may read the 404 that names a wrong `basePath`", async () => {
    const served = await serve(hello(), { cors, basePath: "/api/gardener" });
    expect((await served.ask("/runs", preflight(APP))).status).toBe(204);
    const response = await served.ask("/runs", { json: { input: "Hi" }, ...from(APP) });
    expect([response.status, allowed(response)]).toEqual([404, APP]);
    expect(await response.text()).toContain("Check `basePath`");
  });

  it("may read the response with the headers that clients need, and caches keep origins apart", async () => {
    const served = await serve(hello(), { cors });
    const response = await served.ask("/runs", { json: { input: "Hi" }, ...from(APP) });
    expect([response.status, allowed(response), response.headers.get("vary")]).toEqual([200, APP, "Origin"]);
    const exposed = response.headers.get("access-control-expose-headers");
    for (const name of ["x-pawl-session", "x-pawl-run", "retry-after"]) expect(exposed).toContain(name);
    expect(await response.text()).toContain("Hello.");
  });

  it("may read every refusal too", async () => {
    const full = { consume: () => Promise.reject({ msBeforeNext: 1_000 }) };
    const broken = await serve(hello(), {
      cors,
      rateLimit: full,
      authorize: (request) => {
        const who = request.headers.get("authorization");
        if (who === "Bearer broken") throw new Error("secret");
        if (who === "Bearer away") return Response.redirect("https://example.com/", 303);
        return who === null ? null : { userId: who };
      },
    });
    const asked = [
      [401, { as: null, json: {} }, "/runs"],
      [404, {}, "/sessions/nobodys"],
      [404, {}, "/nowhere"],
      [405, {}, "/runs"],
      [429, { json: { input: "Hi" } }, "/runs"],
      [500, { as: "broken" }, "/sessions"],
      [303, { as: "away", redirect: "manual" as const }, "/sessions"],
    ] as const;
    for (const [status, init, path] of asked) {
      const response = await broken.ask(path, { ...init, ...from(APP) });
      expect([path, response.status, allowed(response)]).toEqual([path, status, APP]);
      expect(response.headers.get("vary")).toContain("Origin");
    }
  });

  it("are refused from any other origin, and from all origins without the option", async () => {
    const served = await serve(hello(), { cors });
    const others = ["https://evil.example", `${APP}.evil.example`, "http://app.example.com", "null"];
    for (const origin of others) {
      expect(allowed(await served.ask("/runs", preflight(origin)))).toBeNull();
      const response = await served.ask("/sessions", from(origin));
      expect([response.status, allowed(response), response.headers.get("vary")]).toEqual([
        200,
        null,
        "Origin",
      ]);
    }
    const off = await serve(hello());
    const response = await off.ask("/sessions", from(APP));
    expect([allowed(response), response.headers.get("vary")]).toEqual([null, null]);
    expect((await off.ask("/runs", { ...preflight(APP), as: "ada" })).status).toBe(405);
  });

  it('may carry cookies if the option allows it, but not with origins "*"', async () => {
    const served = await serve(hello(), { cors: { ...cors, credentials: true } });
    const response = await served.ask("/sessions", from(APP));
    expect(response.headers.get("access-control-allow-credentials")).toBe("true");
    const open = await serve(hello(), { cors: { origins: "*" } });
    expect(allowed(await open.ask("/sessions", from("https://any.example")))).toBe("*");
    const made = (wrong: unknown) => () =>
      handler({
        runtime: served.runtime,
        agent: "coach",
        authorize: () => null,
        cors: wrong as NonNullable<HandlerOptions["cors"]>,
      });
    for (const origins of [
      APP,
      [`${APP}/`],
      [`${APP}/app`],
      ["app.example.com"],
      ["https://*.example.com"],
      ["file://"],
      [5],
      undefined,
    ])
      expect(made({ origins })).toThrow(PawlError);
    expect(made({ origins: "*", credentials: true })).toThrow("list the `origins`");
    expect(made({ origins: ["*"] })).toThrow("without brackets");
    expect(made({ origins: [APP, "capacitor://localhost"], exposeHeaders: ["x-plan"] })).not.toThrow();
  });
});
