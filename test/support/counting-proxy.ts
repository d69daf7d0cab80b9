import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Trip } from "./counted-trips.ts";

/** A proxy that counts round trips on the wire. */
export interface CountingProxy {
  port: number;
  /** The round trips so far: times at which a client sent something after the server had answered. */
  readonly list: Trip[];
  close(): Promise<void>;
}

/** Makes a proxy in front of a server on this machine. */
export async function countingProxy(port: number): Promise<CountingProxy> {
  const list: Trip[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isAnswered = true;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (chunk) => {
      if (isAnswered) list.push({ kind: "round trip", sent: chunk.length, received: 0 });
      isAnswered = false;
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    list,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
