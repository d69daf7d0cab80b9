import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { createAgentClient } from "../src/index.ts";
import { clientOf, serve, when } from "./support/clients.ts";

describe("U6 a server that is not where the client looks for it", () => {
  it("a 404 without a reason names the URL that was asked, and what to check", async () => {
    const served = await serve(scriptedModel([]));
    const fetch = async () => new Response("<h1>Not found</h1>", { status: 404 });
    const client = clientOf(served, { url: "https://app.example.com/api/caoch", fetch });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState().error).toMatchObject({
      code: "network",
      message:
        "The server answered 404 to https://app.example.com/api/caoch/runs. Check the client's `url` and the handler's `basePath`.",
    });
    await expect(client.sessions()).rejects.toThrow(
      "404 to https://app.example.com/api/caoch/sessions. Check",
    );
  });

  it("a 404 with a reason, and another status, say what they said", async () => {
    const served = await serve(scriptedModel([]));
    const client = clientOf(served, { sessionId: "unknown" });
    const { error } = await when(client, (state) => state.error !== undefined);
    expect(error?.message).toBe("There is no such session.");
    const bare = clientOf(served, { fetch: async () => new Response("", { status: 418 }) });
    await bare.send("Hi");
    expect(bare.getState().error?.message).toBe("The server answered 418.");
  });

  it("a request that fails keeps its cause", async () => {
    const served = await serve(scriptedModel([]));
    const client = clientOf(served, { url: "http://127.0.0.1:9/api" });
    await client.send("Hi");
    const { error } = client.getState();
    expect(error).toMatchObject({
      code: "network",
      text: "Hi",
      message: expect.stringContaining("cannot be reached"),
    });
    expect(error?.cause).toBeInstanceOf(TypeError);
    const failed = await client.sessions().catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: "network", cause: expect.any(TypeError) });
  });

  it("a path outside of a browser is refused in words, at the first request: pages make clients on a server too", async () => {
    const client = createAgentClient({ url: "/api/coach" });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState().error).toEqual({
      code: "config",
      message: '`url` must be absolute outside of a browser; got "/api/coach".',
      text: "Hi",
    });
    client.close();
    const served = await serve(scriptedModel([{ text: "Hello." }]));
    const fetched = clientOf(served, {
      url: "/api/coach",
      fetch: (path, init) => fetch(new URL(String(path), served.url), init),
    });
    await fetched.send("Hi");
    expect(fetched.getState().error?.code).not.toBe("config");
  });

  it("a refusal has no cause", async () => {
    const served = await serve(scriptedModel([]));
    const client = clientOf(served, { headers: {} });
    await client.send("Hi");
    expect(client.getState().error).toEqual({ code: "unauthorized", message: "Please sign in.", text: "Hi" });
  });
});
