/** The REST API, one function per endpoint. Every answer is a `Result`: a refusal has the server's message and next step. */
import { type ConnectionOptions, connect } from "./connection.ts";
import { agentEndpoints, capabilityEndpoints } from "./endpoints/agents.ts";
import { budgetEndpoints } from "./endpoints/budgets.ts";
import { codingAgentEndpoints } from "./endpoints/coding-agents.ts";
import { connectionEndpoints } from "./endpoints/connections.ts";
import { datasetEndpoints } from "./endpoints/datasets.ts";
import { experimentEndpoints } from "./endpoints/experiments.ts";
import { clientLoginEndpoints, tokenEndpoints } from "./endpoints/logins.ts";
import { memoryEndpoints } from "./endpoints/memories.ts";
import { modelEndpoints, providerEndpoints } from "./endpoints/models.ts";
import { monitorEndpoints } from "./endpoints/monitors.ts";
import { organisationEndpoints } from "./endpoints/organisations.ts";
import {
  packageEndpoints,
  scheduleEndpoints,
  serviceEndpoints,
  triggerEndpoints,
} from "./endpoints/packages.ts";
import { loginEndpoints, roleEndpoints, scimTokenEndpoints } from "./endpoints/people.ts";
import { replayEndpoints } from "./endpoints/replays.ts";
import { routeEndpoints } from "./endpoints/routing.ts";
import { ruleEndpoints } from "./endpoints/rules.ts";
import { approvalEndpoints, fileEndpoints, runEndpoints, sessionEndpoints } from "./endpoints/sessions.ts";
import {
  grantEndpoints,
  keyEndpoints,
  secretEndpoints,
  serverEndpoints,
  userEndpoints,
} from "./endpoints/settings.ts";
import { linkEndpoints, sharedEndpoints } from "./endpoints/sharing.ts";
import { textCheckEndpoints } from "./endpoints/text-checks.ts";
import { usageEndpoints } from "./endpoints/usage.ts";

export type Api = ReturnType<typeof createApi>;

export function createApi(options: ConnectionOptions = {}) {
  const connection = connect(options);
  return {
    url: connection.url,
    capabilities: capabilityEndpoints(connection),
    agents: agentEndpoints(connection),
    sessions: sessionEndpoints(connection),
    files: fileEndpoints(connection),
    links: linkEndpoints(connection),
    shared: sharedEndpoints(connection),
    runs: runEndpoints(connection),
    approvals: approvalEndpoints(connection),
    route: routeEndpoints(connection),
    codingAgents: codingAgentEndpoints(connection),
    packages: packageEndpoints(connection),
    services: serviceEndpoints(connection),
    triggers: triggerEndpoints(connection),
    schedules: scheduleEndpoints(connection),
    providers: providerEndpoints(connection),
    models: modelEndpoints(connection),
    keys: keyEndpoints(connection),
    tokens: tokenEndpoints(connection),
    clientLogins: clientLoginEndpoints(connection),
    logins: loginEndpoints(connection),
    roles: roleEndpoints(connection),
    scimTokens: scimTokenEndpoints(connection),
    organisations: organisationEndpoints(connection),
    secrets: secretEndpoints(connection),
    connections: connectionEndpoints(connection),
    rules: ruleEndpoints(connection),
    budgets: budgetEndpoints(connection),
    textChecks: textCheckEndpoints(connection),
    replays: replayEndpoints(connection),
    datasets: datasetEndpoints(connection),
    experiments: experimentEndpoints(connection),
    monitors: monitorEndpoints(connection),
    memories: memoryEndpoints(connection),
    users: userEndpoints(connection),
    grants: grantEndpoints(connection),
    server: serverEndpoints(connection),
    usage: usageEndpoints(connection),
  };
}
