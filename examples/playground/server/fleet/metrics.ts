const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{.*\})? (\S+)(?: -?\d+)?$/gm;

/** Reads the text format of Prometheus. Adds up the samples of each metric, whatever their labels are. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [, name = "", value] of text.matchAll(SAMPLE))
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  return sums;
}

/** The numbers of the fleet in a worker's metrics. A metric is missing until something was counted. */
export interface WorkerMetrics {
  active: number;
  waiting: number;
  stranded: number;
  takeovers: number;
  wakes: number;
  /** The sum of all waits. The page shows their average. */
  wakeSeconds: number;
}

export function workerMetrics(text: string): WorkerMetrics {
  const all = readMetrics(text);
  const value = (name: string) => all.get(`pawl_run_${name}`) ?? 0;
  return {
    active: value("active"),
    waiting: value("waiting"),
    stranded: value("stranded"),
    takeovers: value("takeovers_total"),
    wakes: value("wake_duration_count"),
    wakeSeconds: value("wake_duration_sum"),
  };
}
