import { Table } from "@pawl/example-page-parts";
import type { ReplayDetails, ReplayPlayer } from "../../src/base/shapes.ts";
import { numberOf } from "../base/words.ts";

const COLUMNS = ["Player", "Score", "Goals / shots", "Assists", "Saves"];

/** The two teams of a match, the user's first. */
export function Scoreboard({ teams }: Pick<ReplayDetails, "teams">) {
  return (
    <div className="rl-teams">
      {teams.map(({ colour, goals, players }) => (
        <div key={colour} data-testid="rl-team">
          <p className="rl-pair-head">
            <span>{players.some(({ you }) => you) ? "Your team" : "Opponents"}</span>
            <strong>{goals}</strong>
          </p>
          <Table
            of={players.some(({ you }) => you) ? "your team" : "opponents"}
            columns={COLUMNS}
            rows={players.map(cellsOf)}
          />
        </div>
      ))}
    </div>
  );
}

function cellsOf({ name, you, stats }: ReplayPlayer): string[] {
  const values = new Map(Object.entries(stats));
  const of = (stat: string) => numberOf(values.get(stat) ?? null);
  return [
    you ? `${name} (you)` : name,
    of("score"),
    `${of("goals")} / ${of("shots")}`,
    of("assists"),
    of("saves"),
  ];
}
