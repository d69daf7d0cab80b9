import { type FileStore, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coach, coachDeps, userFiles } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { playgroundApp } from "../../server/app.ts";

/**
 * Creates a playground over these files. Returns a function that creates a browser: requests with a cookie of
 * their own.
 */
function playground(files: FileStore) {
  const model = scriptedModel(({ messages }) =>
    messages.length === 1
      ? { tools: [{ name: "save_file", input: { file_type: "capture", content: "# A thought\n\nTea." } }] }
      : { text: "Kept." },
  );
  const pawl = runtime({ agents: [coach({ model })], store: memoryStore(), deps: coachDeps({ files }) });
  const info = { model: model.id, simulated: true };
  const app = playgroundApp({ runtime: pawl, files, info, host: "127.0.0.1", webDir: import.meta.dirname });
  return () => {
    let cookie = "";
    return async (path: string, json?: unknown): Promise<Response> => {
      const init = {
        ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
        headers: { "content-type": "application/json", cookie },
      };
      const response = await app.fetch(new Request(`http://localhost:4321${path}`, init));
      cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
      return response;
    };
  };
}

interface Listed {
  files: { path: string; type: string; bytes: number; updated_at: string }[];
}

describe("the coach's files over HTTP", () => {
  it("X1 C7 lists saved files, and returns their Markdown, only for the browser that they belong to", async () => {
    const browser = playground(memoryFiles());
    const [ada, eve] = [browser(), browser()];
    await (await ada("/api/coach/runs", { input: "Tea" })).text();
    const listed = await ada("/api/coach-files");
    expect(listed.headers.get("cache-control")).toBe("no-store");
    const { files } = (await listed.json()) as Listed;
    expect(files).toMatchObject([{ type: "capture", path: expect.stringMatching(/^captures\/.+\.md$/) }]);
    expect(Date.parse(files[0]?.updated_at ?? "")).toBeGreaterThan(0);
    const text = await ada(`/api/coach-files/${files[0]?.path}`);
    expect(text.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const markdown = await text.text();
    expect(markdown).toContain("Tea.");
    expect(new TextEncoder().encode(markdown)).toHaveLength(files[0]?.bytes ?? 0);
    expect(await (await eve("/api/coach-files")).json()).toEqual({ files: [] });
    expect((await eve(`/api/coach-files/${files[0]?.path}`)).status).toBe(404);
  });

  it("C7 refuses paths that lead elsewhere: traversal, encodings, absolute, other users, the user's own other files", async () => {
    const files = memoryFiles();
    await userFiles(files, "eve").put("sage/context.md", "Secret.");
    const ada = playground(files)();
    await (await ada("/api/coach/runs", { input: "Tea" })).text();
    const folder = (await files.list())
      .map(({ path }) => path.split("/")[0] ?? "")
      .find((one) => one !== "eve");
    await files.put(`${folder}/private.txt`, "Not the coach's.");
    const paths = [
      "../eve/sage/context.md",
      "..%2Feve%2Fsage%2Fcontext.md",
      "%2e%2e/eve/sage/context.md",
      "captures/..%2F..%2Feve%2Fsage%2Fcontext.md",
      "..%5Ceve%5Csage%5Ccontext.md",
      "%2Feve%2Fsage%2Fcontext.md",
      "eve/sage/context.md",
      "sage/context.md%00",
      "private.txt",
      "%",
      "captures",
    ];
    for (const path of paths) {
      const response = await ada(`/api/coach-files/${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.text()).not.toMatch(/Secret|Not the coach/);
    }
  });

  it("includes the type in the list of past sessions", async () => {
    const ada = playground(memoryFiles())();
    await (await ada("/api/coach/runs", { input: "Good evening", sessionType: "close_day" })).text();
    const past = (await (await ada("/api/coach/sessions")).json()) as { sessions: unknown[] };
    expect(past.sessions).toMatchObject([{ title: "Good evening", metadata: { type: "close_day" } }]);
    expect((await ada("/api/coach/runs", { input: "Hello", sessionType: "root" })).status).toBe(400);
  });
});
