import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import { memoryStore, PawlError, type RunOptions } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/until.ts";
import type { McpServerOptions, McpUser } from "../src/index.ts";
import { connectTo } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

type Mail = { mail: string };

/** A server that takes these tokens, and says whose it was. */
function guarded(valid: Set<string>, say: (token: string) => string = () => "mail") {
  const seen: string[] = [];
  const refused: string[] = [];
  const handler = createMcpHandler(({ requestInfo }) => {
    const token = requestInfo?.headers.get("authorization")?.slice(7) ?? "";
    const server = new SdkServer({ name: "mail", version: "1" });
    server.registerTool("read", {}, async () => text(say(token)));
    server.registerTool("fail", {}, async () => {
      throw new Error(`Bad token ${token}`);
    });
    return server;
  });
  const serve = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const token = request.headers.get("authorization")?.slice(7) ?? "";
    seen.push(token);
    if (valid.has(token)) return await handler.fetch(request);
    refused.push(token);
    return new Response(`unknown token ${token}`, { status: 401 });
  };
  return { fetch: serve as typeof fetch, seen, refused };
}

const token = ({ credentials }: McpUser<never>) => (credentials as Mail | undefined)?.mail;
const as = (mail: string): Partial<RunOptions> => ({ credentials: { mail } });
const connect = (served: { fetch: typeof fetch }, more: Partial<McpServerOptions<never>> = {}) =>
  connectTo(served, { token, ...more });

describe("a user's token", () => {
  it("F24 F17 reaches the server with that user's requests only, and is stored nowhere", async () => {
    const served = guarded(new Set(["tok_ada_secret", "tok_bob_secret"]), (mine) => `Hello ${mine}`);
    const one = world([connect(served)], [...calls("read").slice(0, 2), ...calls("read").slice(0, 2)]);
    const [ada, bob] = await Promise.all([
      one.say("Go", { ...as("tok_ada_secret"), userId: "ada" }),
      one.say("Go", { ...as("tok_bob_secret"), userId: "bob" }),
    ]);
    for (const { sessionId } of [ada, bob]) {
      const events = JSON.stringify(await one.log(sessionId));
      expect(events).not.toMatch(/tok_/);
      expect(events).toContain("Hello …");
    }
    expect(new Set(served.seen)).toEqual(new Set(["tok_ada_secret", "tok_bob_secret"]));
  });

  it("F24 F17 is not in an error of the server", async () => {
    const served = guarded(new Set(["tok_ada_secret"]));
    const one = world([connect(served)], calls("fail"));
    const { sessionId } = await one.say("Go", as("tok_ada_secret"));
    expect((await resultOf(one, sessionId)).result).toBe("Bad token …");
  });

  it("F24 F17 is not in what a refused list reports", async () => {
    const one = world([connect(guarded(new Set()))], [{ text: "Ok." }]);
    await one.say("Go", as("tok_ada_secret"));
    expect(one.errors).toEqual([expect.stringMatching(/401/)]);
    expect(one.errors.join()).not.toMatch(/tok_/);
  });

  it("F24 is refreshed once for all requests of a user that were refused together", async () => {
    const valid = new Set(["old_token_1"]);
    const served = guarded(valid);
    const given: string[] = [];
    let running = 0;
    let most = 0;
    const refresh = async ({ token: before }: { token: string }) => {
      given.push(before);
      running += 1;
      most = Math.max(most, running);
      await until(() => served.refused.length === 3);
      running -= 1;
      valid.add("new_token_1");
      return "new_token_1";
    };
    const server = connect(served, { refresh });
    const three = Array.from({ length: 3 }, (_, n) => ({
      name: "mcp__test__read",
      id: `c${n}`,
      input: { n },
    }));
    const one = world([server], [{ text: "Hi." }, { tools: three }, { text: "Ok." }]);
    const { sessionId } = await one.say("Go", as("old_token_1"));
    valid.clear();
    await one.say("Go", { ...as("old_token_1"), sessionId });
    const results = await one.of(sessionId, "tool_result");
    expect(results.map(({ data }) => data.success)).toEqual([true, true, true]);
    expect(given).toEqual(["old_token_1"]);
    expect(most).toBe(1);
    expect(JSON.stringify(await one.log(sessionId))).not.toMatch(/_token_1/);
  });

  it("F24 that is refused and cannot be refreshed is a clear error", async () => {
    const valid = new Set(["tok_ada_secret"]);
    const one = world([connect(guarded(valid))], [{ text: "Hi." }, ...calls("read")]);
    const { sessionId } = await one.say("Go", as("tok_ada_secret"));
    valid.clear();
    await one.say("Go", { ...as("tok_ada_secret"), sessionId });
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/401.*sign in/),
      report: { code: "mcp_unauthorized" },
    });
  });

  it("F24 P1 may be asked for, and the call continues with the new one in another process", async () => {
    const valid = new Set(["tok_ada_secret"]);
    const served = guarded(valid);
    const store = memoryStore();
    const first = world([connect(served, { onUnauthorized: "ask" })], [{ text: "Hi." }, ...calls("read")], {
      store,
    });
    const { sessionId } = await first.say("Go", as("tok_ada_secret"));
    valid.clear();
    const { pending } = await first.say("Go", { ...as("tok_ada_secret"), sessionId });
    expect(pending).toMatchObject([{ kind: "credentials", payload: { connector: "mcp::test" } }]);
    valid.add("tok_ada_fresh1");
    const second = world([connect(served, { onUnauthorized: "ask" })], calls("read").slice(1), { store });
    await second.answer(sessionId, true, as("tok_ada_fresh1"));
    expect(await resultOf(second, sessionId)).toMatchObject({ success: true });
  });

  it("F17 of a run that is required but refused is no part of the error", async () => {
    const one = world([connect(guarded(new Set()), { required: true })], [{ text: "Ok." }]);
    const error = await one.say("Go", as("tok_ada_secret")).catch((thrown: unknown) => thrown);
    expect(PawlError.is(error, "tools_failed")).toBe(true);
    expect(`${error} ${(error as Error).stack} ${String((error as Error).cause)}`).not.toMatch(/tok_/);
  });
});
