import { describe, expect, test } from "vitest";
import { operationFit, pathValues, withoutNames } from "./operation.ts";
import { mapPayload } from "./payload.ts";

describe("path parameters from a task", () => {
  test.each([
    [
      "get issue 42 of octocat/hello-world",
      "/repos/{owner}/{repo}/issues/{issue_number}",
      { owner: "octocat", repo: "hello-world", issue_number: "42" },
    ],
    [
      "merge pull request 17 of a/b",
      "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
      { owner: "a", repo: "b", pull_number: "17" },
    ],
    [
      "read the pod web-0 in namespace default",
      "/api/v1/namespaces/{namespace}/pods/{name}",
      { namespace: "default", name: "web-0" },
    ],
    ["who are the members of the organization github", "/orgs/{org}/members", { org: "github" }],
    ["show customer cus_Nff", "/v1/customers/{customer}", { customer: "cus_Nff" }],
    ["delete the db-1 cluster", "/clusters/{cluster_id}", { cluster_id: "db-1" }],
    ["list the pods", "/namespaces/{namespace}/pods/{name}", {}],
    ["show the pod log", "/pods/{name}/log", {}],
    ["open https://a.example/b/c", "/{x}/{y}", {}],
  ])("%s fills %s", (task, path, values) => {
    expect(Object.fromEntries(pathValues(task, path))).toEqual(values);
  });

  test("goes into the payload, a number as a number", () => {
    const string = { type: "string" };
    const properties = { owner: string, repo: string, issue_number: { type: "integer" } };
    const schema = { type: "object", properties, required: Object.keys(properties) };
    const path = "/repos/{owner}/{repo}/issues/{issue_number}";
    expect(mapPayload("get issue 42 of octocat/hello-world", schema, { path })).toMatchObject({
      payload: { owner: "octocat", repo: "hello-world", issue_number: 42 },
      missing: [],
    });
  });
});

describe("an operation with many optional fields", () => {
  const string = { type: "string" };
  const integer = { type: "integer" };
  const map = (task: string, path: string, properties: object, required: string[] = []) =>
    mapPayload(task, { type: "object", properties, required }, { path }).payload;

  test.each([
    ["list all droplets", "/droplets", { tag_name: string, per_page: integer }, {}],
    ["delete pod web-0", "/pods/{name}", { name: string, gracePeriodSeconds: integer }, { name: "web-0" }],
    [
      "create a coupon with 25 percent off",
      "/coupons",
      { amount_off: integer, percent_off: integer },
      { percent_off: 25 },
    ],
    [
      'comment "thanks" on issue 4',
      "/issues/{number}/comments",
      { number: integer, body: string },
      { number: 4, body: "thanks" },
    ],
    [
      "create a product called Gold Plan",
      "/products",
      { description: string, name: string },
      { name: "Gold Plan" },
    ],
    ["the features of track 11dFgh", "/features/{id}", { id: string, market: string }, { id: "11dFgh" }],
    [
      "list the records of example.com",
      "/domains/{domain_name}/records",
      { domain_name: string },
      { domain_name: "example.com" },
    ],
    [
      "search for the artist Muse",
      "/search",
      { type: { type: "array", items: { enum: ["album", "artist"] } } },
      { type: ["artist"] },
    ],
  ])("takes from %j what the task says, and nothing else", (task, path, properties, payload) => {
    expect(map(task, path, properties)).toEqual(payload);
  });

  test("takes the whole sentence only where a value is required", () => {
    const { note } = map("make it rain on the plain", "/rain", { note: string }, ["note"]);
    expect(note).toMatch(/rain on the plain/);
  });
});

const better = (task: string, right: string, wrong: string) => {
  const total = (endpoint: string) => {
    const [method = "", path = ""] = endpoint.split(" ");
    return Object.values(operationFit(task, { method, path })).reduce((sum, value) => sum + value, 0);
  };
  return total(right) > total(wrong);
};

test.each([
  ["list the issues", "GET /issues", "GET /issues/{id}"],
  ["show issue 4", "GET /issues/{id}", "GET /issues"],
  ["delete issue 4", "DELETE /issues/{id}", "GET /issues/{id}"],
  ["create an issue", "POST /issues", "GET /issues"],
  ["change issue 4", "PATCH /issues/{id}", "POST /issues"],
  ["list my keys", "GET /user/keys", "GET /users/{name}/keys"],
  ["list the keys of user ann", "GET /users/{name}/keys", "GET /user/keys"],
  ["list the comments of issue 4", "GET /issues/{id}/comments", "GET /issues/{id}/labels"],
  ["pause the player", "PUT /player/pause", "GET /player"],
  ["create a config map", "POST /configmaps", "POST /secrets"],
  ["merge pull request 17", "PUT /pulls/{number}/merge", "GET /pulls/{number}/merge"],
])("%s is %s, not %s", (task, right, wrong) => {
  expect(better(task, right, wrong)).toBe(true);
});

test.each([
  ["list the issues of octocat/hello-world", "list the issues of"],
  ["create a product called Gold Plan in euros", "create a product in euros"],
  ['say "hello" to cus_Nff', "say to"],
])("%s is about %j", (task, words) => {
  expect(withoutNames(task).replace(/\s+/g, " ").trim()).toBe(words);
});
