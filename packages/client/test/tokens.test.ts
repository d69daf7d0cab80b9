import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { clientOf, isIdle, serve, when } from "./support/clients.ts";

/** A server that accepts one token at a time, and a page's token. */
async function withTokens(onRefused: (tokens: { valid: string; own: string }) => void = () => undefined) {
  const tokens = { valid: "t1", own: "t1" };
  let refused = 0;
  const model = scriptedModel(() => ({ text: "word ".repeat(40), deltas: 40, delayPerEventMs: 20 }));
  const served = await serve(model, {
    authorize: (request) => {
      if (request.headers.get("authorization") === `Bearer ${tokens.valid}`) return { userId: "ada" };
      refused += 1;
      onRefused(tokens);
      return null;
    },
  });
  const headers = () => ({ authorization: `Bearer ${tokens.own}` });
  const client = clientOf(served, { headers });
  return { tokens, served, client, refused: () => refused };
}

describe("a token that expires", () => {
  it("B5 W4 while the page reconnects: it reads on once headers() has a new one", async () => {
    const { tokens, served, client, refused } = await withTokens((tokens) =>
      setTimeout(() => {
        tokens.own = tokens.valid;
      }, 300),
    );
    await client.send("go");
    await when(client, ({ messages }) => messages.length === 2);
    tokens.valid = "t2";
    for (const socket of served.sockets) socket.destroy();
    const { run, error } = await when(client, isIdle);
    expect([run?.stop?.type, error]).toEqual(["end_turn", undefined]);
    expect(refused()).toBeGreaterThan(0);
  });

  it("B5 before a message: it is sent again at once, once, with the new one", async () => {
    const { tokens, client, refused } = await withTokens((tokens) => {
      tokens.own = tokens.valid;
    });
    tokens.valid = "t2";
    expect(await client.send("go")).toBe(true);
    expect(refused()).toBe(1);
  });

  it("B5 and is never renewed: the page is offline after some tries, and says why", async () => {
    const { tokens, served, client, refused } = await withTokens();
    await client.send("go");
    await when(client, ({ messages }) => messages.length === 2);
    tokens.valid = "t2";
    for (const socket of served.sockets) socket.destroy();
    const { error } = await when(client, ({ connection }) => connection === "offline");
    expect(error?.code).toBe("unauthorized");
    expect(refused()).toBeGreaterThan(3);
    expect(refused()).toBeLessThan(12);
  }, 30_000);

  it("B5 but a session that was never readable is not asked for again", async () => {
    const { tokens, served, refused } = await withTokens();
    tokens.valid = "t2";
    const other = clientOf(served, { sessionId: "s1", headers: () => ({ authorization: "Bearer t1" }) });
    await when(other, ({ error }) => error?.code === "unauthorized");
    expect(refused()).toBe(1);
  });
});
