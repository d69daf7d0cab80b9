import { join } from "node:path";
import { messageOf, PawlError, runtime } from "@pawl/core";
import { type CoachDeps, coachDeps, icsCalendar, openFiles, postgresDayPlans } from "@pawl/example-coach";
import type { SearchDeps } from "@pawl/example-enterprise-search";
import { ROCKET_LEAGUE_AGENT } from "@pawl/example-rocket-league-coach";
import { type TrainerDeps, trainerData, withSessionLog } from "@pawl/example-trainer";
import { postgresReservations } from "@pawl/postgres";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { exampleAgents } from "./agents.ts";
import { playgroundApp } from "./app.ts";
import type { Config } from "./config.ts";
import { errorLines } from "./error-lines.ts";
import { serverFleet } from "./fleet/fleet.ts";
import { listen } from "./listen.ts";
import { type AgentModels, agentModels } from "./models.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { ownRuns } from "./own-runs.ts";
import { openRocketLeague } from "./rocket-league.ts";
import { type SearchIndex, searchIndex } from "./search.ts";
import { searchPeople } from "./search-people.ts";
import { testAgent } from "./test-agent.ts";
import { tokens } from "./tokens.ts";

/** The limit of a user's messages to each agent: `points` per `duration`, which is in seconds. */
const RATE = { points: 20, duration: 60 };

export interface Playground {
  url: string;
  /** Stops accepting requests, waits at most `graceMs` for running turns, and closes everything. */
  close(graceMs: number): Promise<void>;
}

/** Starts the playground. Resumes runs that a killed process left open. */
export async function startPlayground(config: Config): Promise<Playground> {
  const opened = await openStore(join(config.dir, "db"), config.databaseUrl);
  const index = searchIndex({ dir: config.dir, documents: config.searchDocuments, onError });
  try {
    const models = await agentModels(config);
    const { data, pawl, rocketLeague, ...parts } = await openAgents(config, { opened, models, index });
    const { host, webDir, trustProxy } = config;
    const fleet = serverFleet({ onError });
    const server = await listen(
      playgroundApp({
        ...parts,
        runtime: pawl,
        coachRateLimit: new RateLimiterMemory(RATE),
        trainer: {
          data,
          models: models.trainer.map(({ id }) => id),
          rateLimit: new RateLimiterMemory(RATE),
          ...(await tokens(config)),
        },
        rocketLeague: { ...rocketLeague, rateLimit: new RateLimiterMemory(RATE) },
        search: { index, people: searchPeople(), rateLimit: new RateLimiterMemory(RATE) },
        fleet,
        info: models.info,
        host,
        webDir,
        trustProxy,
        onError,
      }),
      config,
    ).catch(async (error: unknown) => {
      await models.close();
      throw error;
    });
    pawl.start();
    rocketLeague.start();
    return {
      url: server.url,
      close: async (graceMs) => {
        server.stopAccepting();
        await withinTime(Promise.all([pawl.drain(), rocketLeague.drain(), fleet.close()]), graceMs);
        await server.close();
        await models.close();
        await index.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface Parts {
  opened: OpenStore;
  models: AgentModels;
  index: SearchIndex;
}

/** Opens the agents with their data. The Rocket League coach has a runtime of its own. */
async function openAgents(config: Config, { opened, models, index }: Parts) {
  const { db, tail } = opened;
  const store = ownRuns(withSessionLog(opened.store), (agent) => agent !== ROCKET_LEAGUE_AGENT);
  const data = await trainerData(db);
  const files = openFiles(config.files);
  const coaching = coachDeps({
    files,
    plans: await postgresDayPlans(db),
    store,
    ...(config.calendar && { calendar: icsCalendar({ source: config.calendar, onError: console.error }) }),
  });
  const tester = config.test ? [testAgent(models.coach, config.dir)] : [];
  const hooks = [errorLines(console.error, config.apiKey)];
  const reservations = postgresReservations(db);
  const examples = exampleAgents(models, { reservations, hooks, searchAgents: index.agents });
  const agents = [examples.coach, ...tester];
  const pawl = runtime<CoachDeps & TrainerDeps & SearchDeps>({
    agents: [...agents, examples.trainer, examples.search],
    store,
    blobs: store.blobs,
    // Each user has one folder, which has the coach's notes and the files of messages.
    files,
    ...(tail && { tail }),
    deps: (session) => ({ ...coaching(session), trainer: data, search: index.search }),
    // `errorLines` has printed a model's failure already.
    onError: (error) =>
      PawlError.is(error, "model_error") || console.error(`pawl: ${PawlError.describe(error)}`),
  });
  const rocketLeague = await openRocketLeague({
    ...config.rocketLeague,
    db,
    store: opened.store,
    model: models.rocketLeague,
    hooks,
    onError: (error) => PawlError.is(error, "model_error") || onError(error),
  });
  return { data, files, pawl, rocketLeague, agents: agents.map(({ name }) => name) };
}

function onError(error: unknown): void {
  console.error(messageOf(error));
}

/**
 * Waits for `work`, but at most `ms` milliseconds. What remains is not lost: the next start resumes it from
 * the log.
 */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
