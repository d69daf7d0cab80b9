import {
  type Caller,
  DEFAULT_SEED,
  drawDirectory,
  type Person,
  type ShownPerson,
} from "@pawl/example-enterprise-search";

/** A person, as the page shows it and as the search knows it. */
export interface SearchPerson {
  person: ShownPerson;
  caller: Caller;
}

/** The people of the made-up company, one of whom each visitor searches as. */
export interface SearchPeople {
  /** Who a visitor is that has chosen nobody. */
  standard: SearchPerson;
  /** The people that the page offers. Any other person of the company is allowed, too. */
  offered: readonly ShownPerson[];
  /** Returns the person with an e-mail address; `undefined` if the company has no such person. */
  find(email: string): SearchPerson | undefined;
}

/** How many people of the second workspace are offered. */
const GUESTS = 2;

/** Draws the company's directory. It takes some milliseconds and needs no index. */
export function searchPeople(): SearchPeople {
  const [home = [], other = []] = drawDirectory(DEFAULT_SEED).map(({ people }) => people);
  const known = new Map([...home, ...other].map((person) => [person.email, person]));
  const offered = [...offeredOf(home), ...other.slice(0, GUESTS)];
  return {
    standard: searching(offered[0] as Person),
    offered: offered.map(shown),
    find: (email) => {
      const person = known.get(email);
      return person && searching(person);
    },
  };
}

function searching(person: Person): SearchPerson {
  return { person: shown(person), caller: { workspaceId: person.workspace, email: person.email } };
}

/** The people called Alex, and the first person of each other department. The latter come first. */
function offeredOf([alex, otherAlex, ...others]: readonly Person[]): Person[] {
  const alexes = [alex, otherAlex].filter((one) => one !== undefined);
  const departments = new Map(alexes.map((one) => [one.department, one]));
  for (const one of others) if (!departments.has(one.department)) departments.set(one.department, one);
  const [first, ...rest] = [...departments.values()].filter((one) => !alexes.includes(one));
  return [...(first ? [first] : []), ...alexes, ...rest];
}

function shown({ first, last, email, team, department, role }: Person): ShownPerson {
  const initials = `${first.charAt(0)}${last.charAt(0)}`;
  return { name: `${first} ${last}`, email, initials, team, department, role };
}

/**
 * The id under which a browser searches as a person. Each person has conversations of their own: in those of
 * somebody else, the model would read documents that the person may not see.
 */
export function userIdFor(browser: string, { email }: Caller): string {
  return `${browser}:${email}`;
}

/** Returns the browser's part of an id that {@link userIdFor} has made. */
export function browserOf(userId: string): string {
  return userId.split(":")[0] ?? userId;
}
