/** Failures of the area "coding-agent". */
export const codingAgentFailures = {};
