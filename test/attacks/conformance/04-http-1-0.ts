import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { agent, memoryStore, runtime } from "@pawl/core";
import { health } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";

/** Sends bytes, and resolves to the first line of what comes back. */
const send = (port: number, request: string) =>
  new Promise<string>((resolve) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.on("data", (data) => {
      got += data;
    });
    socket.on("close", () => resolve(got.split("\r\n")[0] ?? ""));
  });

export const attack: Attack = {
  id: "conformance-04",
  title: "A health check over HTTP/1.0 without a Host, as load balancers send it, is refused",
  state: "held",
  guard: {
    file: "packages/sse/test/servers/adapters.test.ts",
    title: "W1 nodeListener() over HTTP/1.0, which needs no host",
  },
  attempt: async () => {
    const coach = agent({ name: "coach", model: scriptedModel([]), instructions: "X" });
    const pawl = runtime({ agents: [coach], store: memoryStore() });
    const server = createServer(nodeListener(health({ runtime: pawl })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const check = async (head: string) => {
      const line = await send(port, `GET /livez ${head}\r\n\r\n`);
      return mustHold(line.includes(" 200 "), line);
    };
    return await brokenByAny({
      "HTTP/1.1": () => check("HTTP/1.1\r\nHost: x\r\nConnection: close"),
      "HTTP/1.0 with a Host": () => check("HTTP/1.0\r\nHost: x"),
      "HTTP/1.0": () => check("HTTP/1.0"),
    });
  },
};
