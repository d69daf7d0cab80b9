// Both servers in one program, on one port: `node src/main/embedded.ts`. It needs no variables.
import { randomUUID } from "node:crypto";
import { BACKEND_PATH } from "../backend/index.ts";
import { openBackend, openFront } from "./programs.ts";
import { run } from "./run.ts";
import { sharedTokens } from "./tokens.ts";

const made = { tokenSecret: randomUUID(), serviceKey: randomUUID() };

await run(
  "Coach",
  async (config) => {
    const secrets = { ...made, ...config };
    const backend = await openBackend(config, secrets);
    const front = await openFront(config, secrets, (url, init) => backend.serve(new Request(url, init)));
    return {
      serve: (request) =>
        new URL(request.url).pathname.startsWith(BACKEND_PATH)
          ? backend.serve(request)
          : front.serve(request),
      close: async () => {
        await front.close();
        await backend.close();
      },
    };
  },
  ({ port }) => port,
  async ({ tokenSecret = made.tokenSecret }, url) => {
    const token = await sharedTokens(tokenSecret).issue("ada");
    console.log(`Try it:
  curl -N ${url}/api/coach/chat -H "authorization: Bearer ${token}" -d '{"message":"How is my boost?"}'`);
  },
);
