import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { client, read } from "./support.ts";

const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

beforeEach(async () => {
  await fetch("data:,");
  for (const name of ["API_KEY", "AUTH_TOKEN", "LOG", "CUSTOM_HEADERS"])
    vi.stubEnv(`ANTHROPIC_${name}`, undefined);
  return () => vi.unstubAllEnvs();
});

it.each([200, 400])(
  "L12 R4 reads an answer that a gateway has compressed, as fetch does: %s",
  async (status) => {
    const body = status === 200 ? STOP : '{"type":"error","error":{"type":"a","message":"Too long."}}';
    const server = createServer((_, response) => {
      response.writeHead(status, { "content-encoding": "gzip" }).end(gzipSync(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const seen = async (options: object) => {
      const { events, error } = await read(client({ url }, options));
      return { events, message: error?.message };
    };
    expect(await seen({})).toEqual(await seen({ fetch }));
  },
);
