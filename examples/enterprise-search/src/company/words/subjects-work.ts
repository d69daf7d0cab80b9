import type { Subject } from "./subject.ts";

/** Subjects of facts: people, deadlines and decisions. */
export const workSubjects: readonly Subject[] = [
  {
    name: "launch date",
    says: ["the launch date of {p} is {v}", "we fixed {v} as the launch date of {p}"],
    value: "day",
    asks: ["when does {p} go live", "{p} release day"],
  },
  {
    name: "hiring freeze",
    says: ["the hiring freeze for {p} lasts until {v}", "{p} has a hiring freeze until {v}"],
    value: "day",
    asks: ["until when can {p} not recruit", "{p} recruiting stop"],
  },
  {
    name: "office move",
    says: ["the office move of {p} is on {v}", "{v} is the day of the office move for {p}"],
    value: "day",
    asks: ["when does {p} relocate to the new building", "{p} relocation day"],
  },
  {
    name: "project owner",
    says: ["{v} is the new project owner of {p}", "{p} has a new project owner, {v}"],
    value: "person",
    asks: ["who is responsible for {p}", "person in charge of {p}"],
  },
  {
    name: "deadline extension",
    says: ["the deadline extension for {p} runs to {v}", "we got a deadline extension for {p} until {v}"],
    value: "day",
    asks: ["how much longer may {p} take", "{p} due date postponed"],
  },
  {
    name: "training course",
    says: ["the training course for {p} has {v} places", "{v} people can join the training course of {p}"],
    value: "count",
    asks: ["seats in the {p} class", "how many can attend the {p} workshop lessons"],
  },
  {
    name: "headcount plan",
    says: ["the headcount plan of {p} has {v} positions", "{p} goes to {v} positions in the headcount plan"],
    value: "count",
    asks: ["staffing numbers for {p}", "how many employees will {p} get"],
  },
  {
    name: "parental leave",
    says: ["the cover for the parental leave in {p} starts on {v}", "parental leave in {p} begins on {v}"],
    value: "day",
    asks: ["from when is somebody in {p} away for the baby", "{p} maternity absence"],
  },
  {
    name: "remote policy",
    says: [
      "the remote policy of {p} allows {v} days a month",
      "{p} has a remote policy with {v} days a month",
    ],
    value: "count",
    asks: ["how often may {p} staff work from home", "{p} home office rules"],
  },
  {
    name: "supplier visit",
    says: ["the supplier visit for {p} is on {v}", "{p} hosts the supplier visit on {v}"],
    value: "day",
    asks: ["when does the vendor come to see {p}", "{p} vendor tour"],
  },
  {
    name: "board meeting",
    says: ["{p} is presented in the board meeting on {v}", "the board meeting about {p} is on {v}"],
    value: "day",
    asks: ["when do the directors talk about {p}", "{p} session of the directors"],
  },
  {
    name: "salary review",
    says: ["the salary review in {p} gives {v} on average", "{p} ended its salary review with {v}"],
    value: "percent",
    asks: ["pay raise in {p}", "compensation adjustment of {p}"],
  },
  {
    name: "press release",
    says: ["the press release on {p} goes out on {v}", "{v} is the day of the press release for {p}"],
    value: "day",
    asks: ["when is {p} announced to the media", "{p} media announcement"],
  },
  {
    name: "conference talk",
    says: ["{v} gives the conference talk on {p}", "the conference talk about {p} is held by {v}"],
    value: "person",
    asks: ["who presents {p} at the congress", "{p} speaker at the summit"],
  },
];
