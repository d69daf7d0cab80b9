import { agent, type EventStore, memoryStore, PawlError, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { said } from "../../../../test/support/mistakes.ts";
import { type HealthOptions, health } from "../../src/index.ts";

function setup(get?: EventStore["sessions"]["get"], options: Partial<HealthOptions> = {}) {
  const store = memoryStore();
  const reads: string[] = [];
  const coach = agent({ name: "coach", model: scriptedModel([]), instructions: "Be kind." });
  const counted: EventStore["sessions"]["get"] = async (id) => {
    reads.push(id);
    return await (get ?? store.sessions.get)(id);
  };
  const sessions = { ...store.sessions, get: counted };
  const pawl = runtime({ agents: [coach], store: { ...store, sessions } });
  const check = health({ runtime: pawl, ...options });
  const ask = async (path: string, method = "GET") => {
    const response = await check(new Request(`http://localhost${path}`, { method }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { pawl, ask, reads };
}

const hangs = () => new Promise<undefined>(() => undefined);

describe("health()", () => {
  it("Q5 answers ready once the store has answered", async () => {
    const { ask, reads } = setup();
    const { status, text, headers } = await ask("/readyz");
    expect([status, text, headers.get("cache-control")]).toEqual([200, '{"ready":true}', "no-store"]);
    expect(reads).toHaveLength(1);
  });

  it("Q5 F25 says that the process is shutting down, and still that it lives", async () => {
    const { pawl, ask, reads } = setup();
    await pawl.drain();
    expect(await ask("/readyz")).toMatchObject({ status: 503, text: '{"ready":false,"reason":"draining"}' });
    expect(reads).toEqual([]);
    expect(await ask("/livez")).toMatchObject({ status: 200, text: '{"live":true}' });
  });

  it("Q5 is not ready while the store fails, and lives", async () => {
    const { ask } = setup(async () => {
      throw new PawlError("store_unavailable", "password wrong");
    });
    const text = '{"ready":false,"reason":"store_unavailable"}';
    expect(await ask("/readyz")).toMatchObject({ status: 503, text });
    expect(await ask("/livez")).toMatchObject({ status: 200 });
  });

  it("Q5 is not ready while the store does not answer in time, and asks it once", async () => {
    const { ask, reads } = setup(hangs, { storeTimeoutMs: 20 });
    const all = await Promise.all([ask("/readyz"), ask("/readyz"), ask("/readyz")]);
    expect(all.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await ask("/readyz")).status).toBe(503);
    expect(reads).toHaveLength(1);
  });

  it("Q5 serves below its path only, and reads only", async () => {
    const { ask } = setup(undefined, { basePath: "/health" });
    expect((await ask("/health/livez", "HEAD")).status).toBe(200);
    expect((await ask("/livez")).status).toBe(404);
    const refused = await ask("/health/readyz", "POST");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("U6 refuses what JavaScript may pass", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
    const any = health as any;
    const { pawl } = setup();
    expect(
      await said(
        () => any(),
        () => any({ runtime: memoryStore() }),
        () => any({ runtime: pawl, path: "/health" }),
        () => any({ runtime: pawl, storeTimeoutMs: 0 }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: health() takes an object of options with \`runtime\`; got undefined.",
        "config: \`runtime\` of health() must be a runtime, made by runtime(); got an object.",
        "config: health() has no option "path". The options of health() are runtime, basePath, storeTimeoutMs.",
        "config: \`storeTimeoutMs\` of health() must be a number of milliseconds from 1; not 0.",
      ]
    `);
  });
});
