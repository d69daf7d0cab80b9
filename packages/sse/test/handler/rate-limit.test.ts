import { scriptedModel } from "@pawl/testing";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { describe, expect, it } from "vitest";
import { createAgentClient } from "../../../client/src/index.ts";
import { aiSdk } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));

describe("W6 a rate limit", () => {
  it("counts per user: a user at the limit is told when to retry, and others are served", async () => {
    const served = await serve(hello(), { rateLimit: new RateLimiterMemory({ points: 2, duration: 60 }) });
    const say = async (as: string) => {
      const response = await served.ask("/runs", { json: { input: "Hi" }, as });
      const text = await response.text();
      return { status: response.status, after: Number(response.headers.get("retry-after")), text };
    };
    expect((await say("ada")).status).toBe(200);
    expect((await say("ada")).status).toBe(200);
    const refused = await say("ada");
    expect(refused.status).toBe(429);
    expect(refused.after).toBeGreaterThan(50);
    expect(JSON.parse(refused.text)).toEqual({
      error: { code: "rate_limited", message: `Too many messages. Please wait ${refused.after} s.` },
    });
    expect((await say("bob")).status).toBe(200);
    // To read is not limited.
    expect((await served.ask("/sessions")).status).toBe(200);
  });

  it("holds in other dialects, and before a body is read", async () => {
    const rateLimit = new RateLimiterMemory({ points: 1, duration: 60 });
    const served = await serve(hello(), { rateLimit, dialect: aiSdk() });
    await served.ask("/runs", { json: { nonsense: true } });
    expect((await served.ask("/runs", { json: { nonsense: true } })).status).toBe(429);
  });

  it("that fails answers 503, without its error message", async () => {
    const rateLimit = { consume: () => Promise.reject(new Error("redis://secret is down")) };
    const served = await serve(hello(), { rateLimit });
    const response = await served.ask("/runs", { json: { input: "Hi" } });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("secret");
  });

  it("stops our client's retries: it sends once, and returns the text", async () => {
    let asked = 0;
    const rateLimit = {
      consume: () => {
        asked += 1;
        return Promise.reject({ msBeforeNext: 30_000 });
      },
    };
    const served = await serve(hello(), { rateLimit });
    const client = createAgentClient({ url: served.url, headers: { authorization: "Bearer ada" } });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "rate_limited", text: "Hi" });
    expect(asked).toBe(1);
    client.close();
  });
});
