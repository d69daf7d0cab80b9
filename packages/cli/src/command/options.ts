import { parseArgs } from "node:util";

/** The arguments of `pawl worker`. */
export interface WorkerArguments {
  /** The path of the app's module. */
  path: string;
  port: number;
  host: string | undefined;
  drainMs: number;
  /** How many runs the process works on at a time, if the app's runtime does not say. */
  concurrency: number;
  /** Whether to check the app only. */
  check: boolean;
}

/** What a command line asks for. */
export type CommandLine = { command: "help" } | ({ command: "worker" } & WorkerArguments);

export const USAGE = `pawl worker <module>

  Works on the runs of an app, until SIGTERM or SIGINT. The module, e.g. ./app.js or ./app.ts, exports
  \`pawl\`, its runtime, and may export \`close\`, a function that is called at the end.

  --port <number>            serve /livez, /readyz and /metrics there; 0 takes any free port (default: 9464)
  --host <host>              listen on this interface only, e.g. 127.0.0.1 (default: all)
  --drain-timeout <seconds>  on a signal, how long runs may take to finish their turn (default: 30)
  --concurrency <number>     how many runs to work on at a time, if the app's runtime() has no option
                             of this name (default: 100)
  --check                    load the module and ask the store, report, and exit
  --help                     print this`;

/** Reads a command line. @throws Error if it does not fit; the message says why */
export function readCommandLine(args: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      "drain-timeout": { type: "string" },
      concurrency: { type: "string" },
      check: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return { command: "help" };
  const [command, path, ...rest] = positionals;
  if (command === undefined) throw new Error(USAGE);
  if (command !== "worker") throw new Error(`No such command: ${command}.\n\n${USAGE}`);
  if (path === undefined)
    throw new Error("The module is missing. Name the file that exports `pawl`, e.g. pawl worker ./app.js");
  if (rest.length > 0) throw new Error(`pawl worker takes one module; got ${rest.length + 1}.`);
  const port = Number(values.port ?? 9464);
  if (values.port === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port must be a whole number from 0 to 65535; got "${values.port}".`);
  const seconds = Number(values["drain-timeout"] ?? 30);
  if (values["drain-timeout"] === "" || !(seconds >= 0))
    throw new Error(`--drain-timeout must be a number of seconds from 0; got "${values["drain-timeout"]}".`);
  const concurrency = Number(values.concurrency ?? 100);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new Error(`--concurrency must be a whole number from 1; got "${values.concurrency}".`);
  const { host, check = false } = values;
  return { command, path, port, host, drainMs: seconds * 1_000, concurrency, check };
}
