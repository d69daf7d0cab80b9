import { agent, memoryStore, runtime } from "@pawl/core";
import { handler } from "@pawl/sse";
import { supabaseAuth } from "@pawl/supabase";
import { scriptedModel } from "@pawl/testing";
import { createClient } from "@supabase/supabase-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AuthServer,
  authServer,
  HS_SECRET,
  USER,
} from "../packages/supabase/test/support/auth-server.ts";

const EVE = "6f1c1a54-7a3e-4f43-9d9b-0c5d2a1b3c4e";

let server: AuthServer;
beforeEach(async () => {
  server = await authServer();
});
afterEach(async () => await server.close());

/** Serves an agent over HTTP for users of Supabase. */
function served() {
  const failures: unknown[] = [];
  const auth = { persistSession: false, autoRefreshToken: false };
  const coach = agent({
    name: "coach",
    model: scriptedModel([{ text: "Hello." }]),
    instructions: "Be kind.",
  });
  const serve = handler({
    runtime: runtime({ agents: [coach], store: memoryStore() }),
    agent: "coach",
    authorize: supabaseAuth({
      client: createClient(server.url, "sb_publishable_key", { auth }),
      url: server.url,
    }),
    onError: (error) => failures.push(error),
  });
  const ask = (token: string | undefined, path = "/runs") => {
    const headers = {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const post = { method: "POST", body: JSON.stringify({ input: "Hi" }) };
    return serve(new Request(`http://app.example${path}`, { headers, ...(path === "/runs" ? post : {}) }));
  };
  return { ask, failures };
}

describe("E11 X2 an agent for users of Supabase", () => {
  it("runs for a signed-in user, and shows the session to nobody else", async () => {
    const { ask } = served();
    const response = await ask(await server.sign());
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Hello.");
    const path = `/sessions/${response.headers.get("x-pawl-session")}`;
    expect((await ask(await server.sign(), path)).status).toBe(200);
    expect((await ask(await server.sign({}, { alg: "HS256", key: HS_SECRET }), path)).status).toBe(200);
    expect((await ask(await server.sign({ sub: EVE }), path)).status).toBe(404);
    const list = await (await ask(await server.sign(), "/sessions")).json();
    expect(list).toMatchObject({ sessions: [{ userId: USER }] });
  });

  it("answers 401 with a challenge to everybody else, and begins nothing", async () => {
    const { ask, failures } = served();
    for (const [token, challenge] of [
      [undefined, "Bearer"],
      ["garbage", 'Bearer error="invalid_token", error_description="This is not a token."'],
      [
        await server.sign({ exp: 1 }),
        'Bearer error="invalid_token", error_description="The token has expired."',
      ],
      [
        await server.sign({ aud: "x" }),
        'Bearer error="invalid_token", error_description="The token is for another audience."',
      ],
    ] as const) {
      const response = await ask(token);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(challenge);
      expect(await response.json()).toMatchObject({ error: { code: "unauthorized" } });
    }
    expect(await (await ask(await server.sign(), "/sessions")).json()).toEqual({ sessions: [] });
    expect(failures).toEqual([]);
  });

  it("answers 503 while Supabase cannot be asked, and says so to its operator", async () => {
    const { ask, failures } = served();
    const token = await server.sign();
    server.fault = (response) => void response.destroy();
    const response = await ask(token);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.text()).not.toContain(token);
    expect(failures).toMatchObject([{ code: "store_unavailable" }]);
  });
});
