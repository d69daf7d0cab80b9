import { PawlError } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { aiSdk, type HandlerOptions } from "../../src/index.ts";
import { chat } from "../support/chat.ts";
import { serve } from "../support/served.ts";

const own: NonNullable<HandlerOptions["errorBody"]> = ({ error, status, request }) => ({
  code: `${error.code}:${new URL(request.url).pathname.split("/").at(-1)}`,
  cause: error.message,
  status,
});

it("W5 errors have the app's own form on every route, with their status and headers", async () => {
  const cors = { origins: ["https://app.example.com"] };
  const served = await serve(scriptedModel([]), { dialect: aiSdk(), errorBody: own, cors });
  const got = async (path: string, init: Parameters<typeof served.ask>[1] = {}) => {
    const response = await served.ask(path, { ...init, headers: { origin: cors.origins[0] ?? "" } });
    const { code, status, cause } = (await response.json()) as Record<string, unknown>;
    expect([status, typeof cause]).toEqual([response.status, "string"]);
    expect(response.headers.get("access-control-allow-origin")).toBe(cors.origins[0]);
    return [response.status, code, response.headers.get("allow") ?? response.headers.get("www-authenticate")];
  };
  expect(await got("/nowhere")).toEqual([404, "not_found:nowhere", null]);
  expect(await got("/runs")).toEqual([405, "method_not_allowed:runs", "POST"]);
  expect(await got("/sessions", { as: null })).toEqual([401, "unauthorized:sessions", "Bearer"]);
  expect(await got("/sessions/none")).toEqual([404, "not_found:none", null]);
  expect(await got("/runs", { json: { id: "c" } })).toEqual([400, "invalid_input:runs", null]);
});

it("W5 a page with useChat shows the app's own error", async () => {
  const served = await serve(scriptedModel([]), { dialect: aiSdk(), errorBody: own });
  const client = chat(7, served, { id: "c" });
  await client.sendMessage({ text: " " });
  expect(JSON.parse(client.error?.message ?? "")).toMatchObject({ code: "invalid_input:runs", status: 400 });
});

it("W5 the app's own responses stay as they are", async () => {
  const refused = () => Response.json({ error: { code: "quota", message: "Full." } }, { status: 402 });
  const served = await serve(scriptedModel([]), { errorBody: own, admit: refused });
  const response = await served.ask("/runs", { json: { input: "Hi" } });
  expect([response.status, await response.json()]).toEqual([
    402,
    { error: { code: "quota", message: "Full." } },
  ]);
});

it.each<[string, NonNullable<HandlerOptions["errorBody"]>]>([
  [
    "throws",
    () => {
      throw new PawlError("config", "Broken.");
    },
  ],
  ["returns a text", () => "Oh." as never],
  ["returns nothing", () => undefined as never],
])("W5 the default form is sent and `onError` called if the app's function %s", async (_, errorBody) => {
  const served = await serve(scriptedModel([]), { errorBody });
  const response = await served.ask("/sessions/none");
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  expect(served.errors).toHaveLength(1);
});

it("W5 `errorBody` must be a function", async () => {
  await expect(serve(scriptedModel([]), { errorBody: {} as never })).rejects.toThrow("errorBody");
});
