/** SCIM discovery (RFC 7644, section 4): what is supported, and which attributes are stored. */
import {
  type Attribute,
  ENTERPRISE_ATTRIBUTES,
  ENTERPRISE_SCHEMA,
  GROUP_ATTRIBUTES,
  GROUP_SCHEMA,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from "./scim-attributes.ts";
import type { Json } from "./scim-user.ts";

export const MOST_RESULTS = 1000;

export const serviceProviderConfig = (base: string): Json => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A token from `capstan scim create`.",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

const RESOURCE_TYPES = [
  { id: "User", endpoint: "/Users", schema: USER_SCHEMA, extensions: [ENTERPRISE_SCHEMA] },
  { id: "Group", endpoint: "/Groups", schema: GROUP_SCHEMA, extensions: [] },
];

export const resourceTypes = (base: string): Json[] =>
  RESOURCE_TYPES.map(({ id, endpoint, schema, extensions }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id,
    name: id,
    endpoint,
    schema,
    schemaExtensions: extensions.map((each) => ({ schema: each, required: false })),
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${id}` },
  }));

const SCHEMAS = [
  { id: USER_SCHEMA, name: "User", attributes: USER_ATTRIBUTES },
  { id: ENTERPRISE_SCHEMA, name: "EnterpriseUser", attributes: ENTERPRISE_ATTRIBUTES },
  { id: GROUP_SCHEMA, name: "Group", attributes: GROUP_ATTRIBUTES },
];

export const schemas = (base: string): Json[] =>
  SCHEMAS.map(({ id, name, attributes }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id,
    name,
    description: name,
    attributes: attributes.map(shown),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  }));

const shown = ({ name, type, parts, ...is }: Attribute): Json => ({
  name,
  type,
  multiValued: is.isList,
  description: name,
  required: is.isRequired,
  caseExact: is.isExact,
  mutability: is.isReadOnly ? "readOnly" : "readWrite",
  returned: "default",
  uniqueness: is.isUnique ? "server" : "none",
  ...(type === "reference" && { referenceTypes: ["external"] }),
  ...(parts.length > 0 && { subAttributes: parts.map(shown) }),
});
