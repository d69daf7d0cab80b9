import type { Subject } from "./subject.ts";

/** Subjects of facts: software, incidents and quality. */
export const techSubjects: readonly Subject[] = [
  {
    name: "database outage",
    says: ["the database outage of {p} took {v} minutes", "{p} had a database outage of {v} minutes"],
    value: "count",
    asks: ["how long was {p} down", "{p} storage downtime"],
  },
  {
    name: "security bug",
    says: [
      "the security bug in {p} affects {v} users",
      "we fixed the security bug in {p}, {v} users were affected",
    ],
    value: "count",
    asks: ["vulnerability found in {p}", "{p} defect that attackers could use"],
  },
  {
    name: "server migration",
    says: ["the server migration of {p} is on {v}", "{v} is set for the server migration of {p}"],
    value: "day",
    asks: ["when is {p} moved to new machines", "{p} hosting switch"],
  },
  {
    name: "performance test",
    says: [
      "{p} passed the performance test with {v} requests a second",
      "the performance test of {p} reached {v} requests",
    ],
    value: "count",
    asks: ["how fast is {p} in the benchmark", "{p} speed trial"],
  },
  {
    name: "login failure",
    says: [
      "the login failure in {p} hit {v} of the accounts",
      "{v} of the sign-ins ended in the login failure of {p}",
    ],
    value: "percent",
    asks: ["users of {p} cannot authenticate", "{p} authentication error"],
  },
  {
    name: "error rate",
    says: ["the error rate of {p} is {v}", "{p} is back at an error rate of {v}"],
    value: "percent",
    asks: ["how often do calls to {p} fail", "{p} share of failed calls"],
  },
  {
    name: "data retention",
    says: ["data retention for {p} is {v} days", "legal asked for a data retention of {v} days in {p}"],
    value: "count",
    asks: ["how long does {p} keep records", "{p} record storage period"],
  },
  {
    name: "mobile release",
    says: ["the mobile release of {p} is planned for {v}", "{p} ships its mobile release on {v}"],
    value: "day",
    asks: ["when does the {p} phone app come out", "{p} smartphone version"],
  },
  {
    name: "support backlog",
    says: ["the support backlog of {p} is at {v} tickets", "{p} has {v} tickets in its support backlog"],
    value: "count",
    asks: ["unanswered help requests for {p}", "{p} queue of customer questions"],
  },
  {
    name: "storage quota",
    says: ["the storage quota of {p} is {v} gigabytes", "{p} was given a storage quota of {v} gigabytes"],
    value: "count",
    asks: ["how much disk space may {p} use", "{p} disk limit"],
  },
  {
    name: "usability study",
    says: [
      "the usability study of {p} had {v} participants",
      "{v} people took part in the usability study of {p}",
    ],
    value: "count",
    asks: ["how many testers tried the {p} interface", "{p} user research sample"],
  },
  {
    name: "satisfaction score",
    says: ["the satisfaction score of {p} rose to {v}", "{p} got a satisfaction score of {v}"],
    value: "percent",
    asks: ["how happy are people with {p}", "{p} happiness rating"],
  },
  {
    name: "api limit",
    says: ["the api limit of {p} is {v} calls a minute", "{p} has an api limit of {v} calls a minute"],
    value: "count",
    asks: ["how many requests does the {p} interface accept", "{p} request cap"],
  },
  {
    name: "password rule",
    says: ["the password rule of {p} asks for {v} characters", "{p} got a password rule of {v} characters"],
    value: "count",
    asks: ["how long must a credential for {p} be", "{p} passcode requirement"],
  },
];
