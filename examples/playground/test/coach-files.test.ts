import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coach, coachDeps } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { playgroundApp } from "../server/app.ts";

async function served() {
  const [files, store] = [memoryFiles(), memoryStore()];
  const input = { file_type: "capture", file_name: "tea", content: "Green, not black." };
  const model = scriptedModel([{ tools: [{ name: "save_file", input }] }, { text: "Kept." }]);
  const pawl = runtime({ agents: [coach({ model })], store, deps: coachDeps({ files, store }) });
  const info = { model: model.id, simulated: true };
  const app = playgroundApp({ runtime: pawl, files, info, host: "127.0.0.1", webDir: "." });
  const get = async (path: string, cookie?: string, init: RequestInit = {}) =>
    await app.fetch(
      new Request(`http://localhost:4321${path}`, {
        ...init,
        headers: { ...init.headers, ...(cookie && { cookie }) },
      }),
    );
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ input: "Keep it", sessionType: "quick_capture" });
  const said = await get("/api/coach/runs", undefined, { method: "POST", headers, body });
  await said.text();
  await files.put("elsewhere.md", "Not the coach's.");
  return { get, cookie: said.headers.get("set-cookie")?.split(";")[0] ?? "", files };
}

describe("the coach's files over HTTP", () => {
  it("X1 are listed and read by whom they belong to", async () => {
    const { get, cookie } = await served();
    const { files } = (await (await get("/api/coach/files", cookie)).json()) as { files: object[] };
    expect(files).toMatchObject([{ path: "captures/tea.md", type: "capture", name: "tea" }]);
    const file = await get("/api/coach/file?path=captures/tea.md", cookie);
    expect(await file.json()).toMatchObject({
      type: "capture",
      attributes: { type: "capture" },
      body: "Green, not black.",
    });
    expect(file.headers.get("cache-control")).toBe("no-store");
    const { types } = (await (await get("/api/coach/session-types", cookie)).json()) as { types: object[] };
    expect(types).toHaveLength(6);
  });

  it("E11 attack: nobody else's, and nothing by a path that leads elsewhere", async () => {
    const { get, cookie, files } = await served();
    expect(await (await get("/api/coach/files")).json()).toEqual({ files: [] });
    const [{ path } = { path: "" }] = await files.list();
    expect((await get("/api/coach/file?path=captures/tea.md")).status).toBe(404);
    for (const one of [
      "../elsewhere.md",
      "..%2felsewhere.md",
      `../${path}`,
      path,
      "/etc/passwd",
      "captures/../captures/tea.md",
      "",
      "%00",
    ]) {
      expect((await get(`/api/coach/file?path=${one}`, cookie)).status).toBe(404);
    }
  });
});
