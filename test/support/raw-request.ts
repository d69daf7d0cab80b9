import { once } from "node:events";
import { connect } from "node:net";

/** What a server sends back, byte for byte. */
export interface RawResponse {
  status: number;
  /** The status line and the headers. */
  head: string;
  body: string;
}

/** Sends lines of HTTP over a socket, e.g. what `fetch` cannot send, and reads to the end of the connection. */
export async function rawRequest(port: number, lines: readonly string[], body = ""): Promise<RawResponse> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (data) => {
    text += data;
  });
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  await once(socket, "close");
  const at = text.indexOf("\r\n\r\n");
  return { status: Number(text.split(" ")[1]), head: text.slice(0, at), body: text.slice(at + 4) };
}
