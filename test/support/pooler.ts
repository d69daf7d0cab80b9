import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pause } from "./pause.ts";
import { freePort, servant } from "./postgres-server.ts";

/** The path of the PgBouncer program; `PAWL_PGBOUNCER` overrides it. */
const program = [
  process.env.PAWL_PGBOUNCER,
  ...`${process.env.PATH}${delimiter}/usr/sbin`.split(delimiter).map((folder) => join(folder, "pgbouncer")),
].find((path) => path && existsSync(path));

/** Checks whether {@link pooler} can start PgBouncer. If not, prints the reason. */
export function hasPooler(): boolean {
  if (program !== undefined) return true;
  console.warn(
    "Tests through a pooler are skipped. No pooler: install pgbouncer, or name it in PAWL_PGBOUNCER.",
  );
  return false;
}

/** A PgBouncer in transaction mode in front of a database, as hosted databases have one. */
export interface Pooler {
  url: string;
  stop(): Promise<void>;
}

export async function pooler(database: string): Promise<Pooler> {
  const { username, password, hostname, port, pathname } = new URL(database);
  const own = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "pawl-pooler-"));
  const server = `host=${hostname} port=${port} user=${username} password=${password}`;
  const config = `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`;
  await writeFile(join(folder, "pgbouncer.ini"), config);
  // PgBouncer does not run as root, and its user must be able to read this file.
  await chmod(folder, 0o755);
  const child = spawn(program ?? "pgbouncer", [join(folder, "pgbouncer.ini")], {
    ...(await servant()),
    stdio: "ignore",
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await listening(own);
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    async stop() {
      process.off("exit", kill);
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number, tries = 100): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const open = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  socket.destroy();
  if (open) return;
  if (tries <= 1) throw new Error("The pooler does not start.");
  await pause(50, "between two attempts");
  await listening(port, tries - 1);
}
