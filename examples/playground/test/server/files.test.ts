import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventStore, memoryStore, runtime } from "@pawl/core";
import { diskFiles } from "@pawl/core/disk";
import { coach, coachDeps, coachRules } from "@pawl/example-coach";
import { strictModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { paintedPng } from "../../../../test/support/painted-png.ts";
import { playgroundApp } from "../../server/app.ts";

/** Creates a playground over a directory and a log, which stand for what outlives a process. */
function playground(dir: string, store: EventStore) {
  const files = diskFiles(dir);
  const model = strictModel({ rules: coachRules({ speed: Number.POSITIVE_INFINITY }) });
  const pawl = runtime({ agents: [coach({ model })], store, files, deps: coachDeps({ files }) });
  const info = { model: model.id, simulated: true };
  const app = playgroundApp({ runtime: pawl, files, info, host: "127.0.0.1", webDir: import.meta.dirname });
  const browser = (cookie = "") => {
    const ask = async (path: string, body?: Uint8Array<ArrayBuffer> | object): Promise<Response> => {
      const isFile = body instanceof Uint8Array;
      const type = isFile ? "application/octet-stream" : "application/json";
      const sent = body && { method: "POST", body: isFile ? body : JSON.stringify(body) };
      const headers = { "content-type": type, cookie };
      const response = await app.fetch(new Request(`http://localhost:4321${path}`, { ...sent, headers }));
      cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
      return response;
    };
    const upload = async (bytes: Uint8Array<ArrayBuffer>) =>
      ((await (await ask("/api/coach/files", bytes)).json()) as { id: string }).id;
    return { ask, upload, cookie: () => cookie };
  };
  /** The pictures of the last request to the model, in order. */
  const pictures = () =>
    (model.requests.at(-1)?.messages ?? []).flatMap(({ content }) =>
      (content as { type: string; source?: { data?: string } }[]).flatMap(({ type, source }) =>
        type === "image" ? [source?.data] : [],
      ),
    );
  return { browser, model, pictures };
}

async function directory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "pawl-files-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

describe("files of messages in the playground", () => {
  it("F1 X1 the coach gets the same picture before and after a restart, and says what reached it", async () => {
    const [dir, store] = [await directory(), memoryStore()];
    const picture = paintedPng({ width: 64, height: 48 });
    const before = playground(dir, store);
    const ada = before.browser();
    await ada.ask("/api/info");
    const id = await ada.upload(picture);
    const parts = [
      { type: "file", id, name: "lunch.png" },
      { type: "text", text: "What do you think?" },
    ];
    const answer = await ada.ask("/api/coach/runs", { input: parts });
    expect(await answer.text()).toContain("64 × 48");
    const sessionId = answer.headers.get("x-pawl-session");

    const after = playground(dir, store);
    const again = after.browser(ada.cookie());
    await (await again.ask("/api/coach/runs", { input: "And the picture?", sessionId })).text();
    const base64 = Buffer.from(picture).toString("base64");
    expect([before.pictures(), after.pictures()]).toEqual([[base64], [base64]]);
    const view = await (await again.ask(`/api/coach/sessions/${sessionId}`)).text();
    expect(view).toContain("still with me");
    expect(new Uint8Array(await (await again.ask(`/api/coach/files/${id}`)).arrayBuffer())).toEqual(picture);
    expect([before.model.rejected, after.model.rejected]).toEqual([[], []]);
  });

  it("F1 C7 serves a file to its browser only, in a sandbox", async () => {
    const { browser } = playground(await directory(), memoryStore());
    const [ada, eve] = [browser(), browser()];
    await ada.ask("/api/info");
    const id = await ada.upload(paintedPng({ width: 8, height: 8 }));
    const { status, headers } = await ada.ask(`/api/coach/files/${id}`);
    expect([status, headers.get("content-type")]).toEqual([200, "image/png"]);
    // The page's own policy would allow more.
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect((await eve.ask(`/api/coach/files/${id}`)).status).toBe(404);
    expect(await (await ada.ask("/api/coach-files")).json()).toEqual({ files: [] });
  });

  it("F1 W6 a message may have twenty files, and uploads have a limit of their own, also by address", async () => {
    const { browser, pictures } = playground(await directory(), memoryStore());
    const ada = browser();
    await ada.ask("/api/info");
    const ids: string[] = [];
    for (let n = 1; n <= 20; n += 1) ids.push(await ada.upload(paintedPng({ width: n, height: 1 })));
    const parts = ids.map((id) => ({ type: "file", id }));
    expect(await (await ada.ask("/api/coach/runs", { input: parts })).text()).toContain("20 × 1");
    expect(pictures()).toHaveLength(20);
    const one = paintedPng({ width: 1, height: 1 });
    for (let n = 21; n <= 60; n += 1) await ada.upload(one);
    const refused = await ada.ask("/api/coach/files", one);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    // Another browser at the same address.
    expect((await browser().ask("/api/coach/files", one)).status).toBe(429);
  });
});
