import { pick, type Random, randomFrom, sample, weighted, whole } from "@pawl/example-data-parts";
import type { Group, Person } from "../base/document.ts";
import { departments, firstNames, lastNames, lumenProjects, projects, roles } from "./words/index.ts";

export type WorkspaceId = "harborline" | "lumen";

/** A workspace of people who share a directory. Nothing of one workspace is visible in another. */
export interface Workspace {
  id: WorkspaceId;
  people: readonly Person[];
  groups: readonly Group[];
  /** The project groups. */
  projects: readonly Group[];
}

/** The people called Alex: two in one workspace, and one in the other. */
const ALEXES = {
  harborline: [
    { first: "Alex", last: "Chen", department: "Finance", team: "Planning", role: "Director" },
    { first: "Alex", last: "Rivera", department: "Sales", team: "Enterprise", role: "Manager" },
  ],
  lumen: [{ first: "Alex", last: "Moreau", department: "Finance", team: "Planning", role: "Director" }],
} as const;

const SIZES = { harborline: 250, lumen: 50 } as const;

/** Draws the two workspaces with their people and groups. The ids are numbered over both. */
export function drawDirectory(seed: string): Workspace[] {
  const random = randomFrom(`${seed}/directory`);
  const names = new Set<string>();
  let people = 0;
  let groups = 0;
  return (["harborline", "lumen"] as const).map((id) => {
    const staff = Array.from({ length: SIZES[id] }, (_, at): Person => {
      people += 1;
      const who = ALEXES[id][at] ?? newcomer(random, names);
      const email = `${who.first}.${who.last}@${id}.example`.toLowerCase();
      return { id: people, workspace: id, ...who, email };
    });
    const drawn = drawGroups(random, id, staff).map((group): Group => {
      groups += 1;
      return { id: groups, workspace: id, ...group };
    });
    return { id, people: staff, groups: drawn, projects: drawn.filter(({ kind }) => kind === "project") };
  });
}

function newcomer(random: Random, names: Set<string>): Omit<Person, "id" | "workspace" | "email"> {
  for (;;) {
    const [first, last] = [pick(random, firstNames), pick(random, lastNames)];
    if (names.has(`${first} ${last}`)) continue;
    names.add(`${first} ${last}`);
    const [department, teams] = pick(random, [...departments]);
    const team = pick(random, teams);
    return { first, last, department, team, role: roles[weighted(random, [8, 6, 4, 3, 1])] as string };
  }
}

type Drawn = Omit<Group, "id" | "workspace">;

function drawGroups(random: Random, workspace: string, people: readonly Person[]): Drawn[] {
  const ids = (of: (person: Person) => boolean) => people.filter(of).map(({ id }) => id);
  const all: Drawn[] = [
    { name: "everyone", kind: "everyone", members: ids(() => true) },
    { name: "leadership", kind: "leadership", members: ids(({ role }) => role === "Director") },
  ];
  for (const [department, teams] of departments) {
    all.push({ name: department, kind: "department", members: ids((one) => one.department === department) });
    for (const team of teams)
      all.push({ name: team, kind: "team", members: ids((one) => one.team === team) });
  }
  const everybody = ids(() => true);
  for (const name of workspace === "lumen" ? lumenProjects : projects)
    all.push({ name, kind: "project", members: sample(random, everybody, 8 + whole(random, 8)) });
  for (const { id, first, last } of people)
    all.push({ name: `${first} ${last}`, kind: "person", members: [id] });
  return all.filter(({ members }) => members.length > 0);
}
