import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type Caller, handler } from "../../src/index.ts";

const coach = agent({
  name: "a",
  model: scriptedModel(() => ({ text: "Hello." })),
  instructions: "Help.",
});

/** Sends a message to a handler whose `authorize` returns this value. */
async function said(caller: object, more: Pick<Parameters<typeof handler>[0], "admit"> = {}) {
  const errors: unknown[] = [];
  const store = memoryStore();
  const serve = handler({
    runtime: runtime({ agents: [coach], store }),
    agent: "a",
    authorize: () => caller as Caller,
    onError: (error) => errors.push(error),
    ...more,
  });
  const response = await serve(
    new Request("http://localhost/runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "Hi" }),
    }),
  );
  const text = await response.text();
  const sessions = await store.sessions.list({ userId: "ada" });
  return { status: response.status, text, errors, sessions };
}

describe("F17 the fields of what `authorize` returns", () => {
  it.each([
    ["workspace", { userId: "ada", workspace: "secret-w1" }],
    ["credential", { userId: "ada", credential: { token: "secret-token" } }],
    ["token", { userId: "ada", caller: {}, token: "secret-token" }],
    ["user", { userId: "ada", user: null }],
  ])("refuse `%s`, which no run would get", async (field, caller) => {
    const { status, text, errors, sessions } = await said(caller);
    expect(status).toBe(500);
    expect(text).not.toContain(field);
    expect(sessions).toEqual([]);
    expect(errors).toMatchObject([{ code: "config", message: expect.stringContaining(`"${field}"`) }]);
  });

  it("names all unknown fields, and those that exist, without their values", async () => {
    const { errors } = await said({ userId: "ada", workspace: "w1", roles: ["admin"], token: "secret" });
    expect(String(errors[0])).toBe(
      'PawlError: authorize() returned the unknown fields "workspace", "roles" and "token". Known are `userId`, `caller`, `credentials` and `claims`. Put what tools and hooks need into `caller`, and secrets into `credentials`.',
    );
    expect((await said({ userId: "ada", credential: "x" })).errors.map(String)).toEqual([
      expect.stringContaining('returned the unknown field "credential". Known are'),
    ]);
  });

  it("may be undefined, whatever their names, and of an object with methods", async () => {
    class User {
      userId = "ada";
      workspace = undefined;
      signOut() {}
    }
    expect(await said(new User())).toMatchObject({ status: 200, errors: [] });
    const empty = { userId: "ada", caller: undefined, credentials: undefined };
    expect(await said(empty)).toMatchObject({ status: 200, errors: [] });
  });

  it("give `claims` to `admit`, and to nobody else", async () => {
    const claims: unknown[] = [];
    const caller = { userId: "ada", claims: { aal: "secret-aal2" } };
    const { status, sessions } = await said(caller, {
      admit: (_request, caller) => {
        claims.push(caller.claims);
        return undefined;
      },
    });
    expect(status).toBe(200);
    expect(claims).toEqual([{ aal: "secret-aal2" }]);
    expect(JSON.stringify(sessions)).not.toContain("secret-aal2");
  });
});
