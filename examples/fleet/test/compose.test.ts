import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readCommandLine } from "../../../packages/cli/src/command/options.ts";

interface Service {
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
  healthcheck: { test: string[] };
  stop_grace_period?: string;
}

const folder = join(import.meta.dirname, "..");
const { services } = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }) as {
  services: { database: Service; front: Service; worker: Service };
};
const { database, front, worker } = services;

describe("Q5 the compose file", () => {
  it("has a database, a front and three workers", () => {
    expect(Object.keys(services)).toEqual(["database", "front", "worker"]);
    expect(worker.deploy?.replicas).toBe(3);
  });

  it("names files that exist, and commands that can be read", () => {
    for (const { build, command = [] } of [front, worker]) {
      expect(existsSync(join(folder, build?.context ?? "", build?.dockerfile ?? "no file"))).toBe(true);
      const [script = ""] = command.filter((part) => part.endsWith(".ts"));
      expect(existsSync(join(folder, script))).toBe(true);
    }
    const [program = "", ...args] = worker.command ?? [];
    expect(program).toBe("node_modules/.bin/pawl");
    expect(readCommandLine(args)).toMatchObject({
      command: "worker",
      path: "src/worker.ts",
      drainMs: 30_000,
    });
    // The longest of both: the workers' drain. The front has 20 seconds.
    expect(Number.parseInt(worker.stop_grace_period ?? "", 10)).toBeGreaterThan(30);
  });

  it("checks the health where it is served", () => {
    const urls = [front, worker].map(({ healthcheck }) => {
      const [kind, program, script = "", url = ""] = healthcheck.test;
      expect([kind, program]).toEqual(["CMD", "node"]);
      expect(existsSync(join(folder, script))).toBe(true);
      return new URL(url);
    });
    expect(urls.map(({ pathname }) => pathname)).toEqual(["/readyz", "/readyz"]);
    const [, , , ...options] = worker.command ?? [];
    const line = readCommandLine(["worker", "src/worker.ts", ...options]);
    expect(urls.map(({ port }) => Number(port))).toEqual([3_000, line.command === "worker" && line.port]);
    expect(front.ports).toEqual(["3000:3000"]);
  });

  it("waits for the database, and connects to it with its password", () => {
    const { POSTGRES_PASSWORD, POSTGRES_DB } = database.environment ?? {};
    for (const { depends_on, environment } of [front, worker]) {
      expect(depends_on).toEqual({ database: { condition: "service_healthy" } });
      const url = new URL(environment?.DATABASE_URL ?? "");
      expect([url.hostname, url.password, url.pathname]).toEqual([
        "database",
        POSTGRES_PASSWORD,
        `/${POSTGRES_DB}`,
      ]);
    }
    expect(database.healthcheck.test).toContain("pg_isready");
  });
});
