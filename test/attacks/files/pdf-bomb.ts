import { deflateSync } from "node:zlib";
import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { peakMb } from "../parts/peak.ts";
import { threadMs } from "../parts/standstill.ts";

const AT_ONCE = 8;

export const attack: Attack = {
  id: "attacks-05",
  title: "A small PDF costs megabytes and processor time at each download",
  state: "held",
  guard: {
    file: "packages/core/test/files/file-work.test.ts",
    title: "is found once, when it is stored, and not at any download, message or request",
  },
  attempt: () =>
    brokenByAny({
      download: () => downloads({}),
      "download of what the client has": () => downloads({ isKnown: true }),
    }),
};

/** A PDF of 18 kB, of which an object stream inflates to 17 MB, and one of the same size without a stream. */
function files() {
  const bomb = Buffer.concat([
    Buffer.from("%PDF-1.7\n1 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n"),
    deflateSync(Buffer.alloc(17_000_000, 32)),
    Buffer.from("\nendstream endobj\n"),
  ]);
  const head = Buffer.from("%PDF-1.7\n1 0 obj <</Type /Page>> endobj\n");
  return { bomb, plain: Buffer.concat([head, Buffer.alloc(bomb.length - head.length, 32)]) };
}

async function downloads({ isKnown = false }): Promise<string> {
  const model = scriptedModel([{ text: "Hello." }]);
  const agents = [agent({ name: "a", instructions: "i", model })];
  const pawl = runtime({ agents, store: memoryStore(), files: memoryFiles() });
  const serve = handler({ runtime: pawl, agent: "a", authorize: () => ({ userId: "u" }) });
  const download = async (content: Buffer) => {
    const { id } = await pawl.files.put("u", content);
    const headers = isKnown ? { "if-none-match": `"${id}"` } : undefined;
    const get = async () => {
      const response = await serve(new Request(`http://app/files/${id}`, headers && { headers }));
      await response.arrayBuffer();
    };
    await get();
    const begun = threadMs();
    const { grownMb } = await peakMb(() => Promise.all(Array.from({ length: AT_ONCE }, get)));
    return { ms: threadMs() - begun, grownMb };
  };
  const usual = await download(files().plain);
  const bombed = await download(files().bomb);
  const times = Math.round(bombed.ms / usual.ms);
  return brokenIf(
    (times > 10 && bombed.ms > 100) || bombed.grownMb > 100,
    `${AT_ONCE} at once: ${times} times the processor time of a plain PDF, ${bombed.grownMb} MB`,
  );
}
