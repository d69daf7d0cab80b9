import { gzipSync } from "node:zlib";
import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const model = scriptedModel(() => ({ text: "Hi." }));
const coach = agent({ name: "coach", model, instructions: "X" });
const pawl = runtime({ agents: [coach], store: memoryStore(), files: memoryFiles() });
const isKnown = ({ headers }: Request) => (headers.has("authorization") ? { userId: "ada" } : null);
const serve = handler({ runtime: pawl, agent: coach, authorize: isKnown });

async function ask(
  path: string,
  headers: Record<string, string>,
  body?: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const init = { headers: { authorization: "Bearer x", ...headers }, ...(body && { method: "POST", body }) };
  return await serve(new Request(`http://localhost${path}`, init));
}

async function ofFile(headers: Record<string, string>, wanted: number): Promise<string> {
  const type = { "content-type": "application/octet-stream" };
  const { id } = (await (await ask("/files", type, Buffer.from(DOT, "base64"))).json()) as { id: string };
  const { status } = await ask(`/files/${id}`, headers);
  return mustHold(status === wanted, `${status} instead of ${wanted}`);
}

export const attack: Attack = {
  id: "conformance-06",
  title:
    "Four rules of HTTP are not kept: a challenge with 401, conditional requests, and 415 for a coded body",
  state: "held",
  guard: {
    file: "packages/sse/test/handler/http-rules.test.ts",
    title: "that is compressed is refused, with the coding that is accepted",
  },
  attempt: () =>
    brokenByAny({
      "401 with WWW-Authenticate": async () => {
        const { status, headers } = await serve(new Request("http://localhost/sessions"));
        return mustHold(status === 401 && headers.has("www-authenticate"), `${status} without it`);
      },
      "If-None-Match: *": () => ofFile({ "if-none-match": "*" }, 304),
      "If-Match": () => ofFile({ "if-match": '"other"' }, 412),
      "content-encoding: gzip": async () => {
        const headers = { "content-type": "application/json", "content-encoding": "gzip" };
        const { status } = await ask("/runs", headers, gzipSync('{"input":"hi"}'));
        return mustHold(status === 415, `${status} instead of 415`);
      },
    }),
};
