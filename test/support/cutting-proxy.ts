import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy whose connections break. */
export interface CuttingProxy {
  url: string;
  /** The number of connections, of those that were cut, and of those that got no answer. */
  readonly counts: { connections: number; cuts: number; deaf: number };
  close(): Promise<void>;
}

/**
 * Passes each connection to one of the ports, or to the next one if nothing listens there. Cuts both sides
 * after `bytesOf()` bytes of the answer, which may be within a character or frame. If `bytesOf()` is 0, there
 * is no answer.
 */
export async function cuttingProxy(
  ports: readonly number[],
  { random, bytesOf }: { random(): number; bytesOf(): number },
): Promise<CuttingProxy> {
  const counts = { connections: 0, cuts: 0, deaf: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    counts.connections += 1;
    let left = bytesOf();
    const first = Math.floor(random() * ports.length);
    // The connection stays half-open: the client is connected and receives nothing.
    const isDeaf = left === 0;
    const attach = (tried: number) => {
      const upstream = connect(ports[(first + tried) % ports.length] ?? 0, "127.0.0.1");
      const end = () => {
        client.destroy();
        upstream.destroy();
      };
      for (const socket of [client, upstream]) sockets.add(socket);
      upstream.once("connect", () => {
        client.on("data", (chunk) => upstream.write(chunk));
        client.resume();
      });
      upstream.on("data", (chunk) => {
        const part = chunk.subarray(0, left);
        left -= part.length;
        client.write(part);
        if (left > 0) return;
        counts.cuts += 1;
        // Waits until the written bytes are sent, so that the cut is at exactly that byte.
        setImmediate(end);
        upstream.pause();
      });
      let refused = false;
      upstream.on("error", () => {
        refused = upstream.bytesRead + upstream.bytesWritten === 0 && tried + 1 < ports.length;
        if (refused) attach(tried + 1);
      });
      upstream.on("close", () => {
        sockets.delete(upstream);
        if (!refused) client.destroy();
      });
      client.on("close", () => {
        sockets.delete(client);
        upstream.destroy();
      });
      client.on("error", end);
    };
    client.on("error", () => undefined);
    if (isDeaf) {
      counts.deaf += 1;
      sockets.add(client);
      client.resume();
      client.on("close", () => sockets.delete(client));
      return;
    }
    client.pause();
    attach(0);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
