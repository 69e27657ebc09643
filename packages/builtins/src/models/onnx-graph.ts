/**
 * Writes ONNX: the part of its protobuf needed for a graph of operators and its weights, so that a model can be built
 * from published weights at runtime, without shipping a second copy of them.
 */
export type OnnxArray = Float32Array | Int8Array | BigInt64Array;

export interface OnnxGraph {
  /** Adds weights and returns their name. */
  weights(name: string, dims: readonly number[], data: OnnxArray): string;
  /** Adds an operator and returns the name of its only output. */
  op(type: string, inputs: readonly string[], options?: OpOptions): string;
  /** Adds an operator with several outputs. */
  ops(type: string, inputs: readonly string[], outputs: number, options?: OpOptions): string[];
  finish(input: { name: string; dims: Dims }, output: { name: string; dims: Dims; from: string }): Uint8Array;
}

interface OpOptions {
  /** True for the operators of ONNX Runtime's own domain. */
  microsoft?: boolean;
  ints?: Readonly<Record<string, number | readonly number[]>>;
  floats?: Readonly<Record<string, number>>;
}
type Dims = readonly (number | string)[];

const MICROSOFT = "com.microsoft";
const IR_VERSION = 8;
const OPSET = 17;
const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;

export function createOnnxGraph(name: string): OnnxGraph {
  const nodes: Uint8Array[] = [];
  const initializers: Uint8Array[] = [];
  let values = 0;

  const ops: OnnxGraph["ops"] = (
    type,
    inputs,
    outputs,
    { microsoft = false, ints = {}, floats = {} } = {},
  ) => {
    const made = Array.from({ length: outputs }, () => `v${values++}`);
    nodes.push(
      join([
        ...inputs.map((input) => text(1, input)),
        ...made.map((output) => text(2, output)),
        text(4, type),
        ...Object.entries(ints).map(([key, value]) => bytes(5, intAttribute(key, value))),
        ...Object.entries(floats).map(([key, value]) =>
          bytes(5, join([text(1, key), float32(2, value), integer(20, 1)])),
        ),
        ...(microsoft ? [text(7, MICROSOFT)] : []),
      ]),
    );
    return made;
  };

  return {
    weights(tensor, dims, data) {
      const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      initializers.push(
        join([
          ...dims.map((dim) => integer(1, dim)),
          integer(2, typeOf(data)),
          text(8, tensor),
          bytes(9, raw),
        ]),
      );
      return tensor;
    },
    ops,
    op: (type, inputs, options) => ops(type, inputs, 1, options)[0] ?? "",
    finish(input, output) {
      nodes.push(join([text(1, output.from), text(2, output.name), text(4, "Identity")]));
      const graph = join([
        ...nodes.map((node) => bytes(1, node)),
        text(2, name),
        ...initializers.map((tensor) => bytes(5, tensor)),
        bytes(11, valueInfo(input.name, INT64, input.dims)),
        bytes(12, valueInfo(output.name, FLOAT, output.dims)),
      ]);
      const opset = (domain: string, version: number) =>
        bytes(8, join([text(1, domain), integer(2, version)]));
      return join([integer(1, IR_VERSION), bytes(7, graph), opset("", OPSET), opset(MICROSOFT, 1)]);
    },
  };
}

function intAttribute(key: string, value: number | readonly number[]): Uint8Array {
  return typeof value === "number"
    ? join([text(1, key), integer(3, value), integer(20, 2)])
    : join([text(1, key), ...value.map((item) => integer(8, item)), integer(20, 7)]);
}

function valueInfo(name: string, type: number, dims: Dims): Uint8Array {
  const shape = join(dims.map((dim) => bytes(1, typeof dim === "number" ? integer(1, dim) : text(2, dim))));
  return join([text(1, name), bytes(2, bytes(1, join([integer(1, type), bytes(2, shape)])))]);
}

function typeOf(data: OnnxArray): number {
  if (data instanceof Float32Array) return FLOAT;
  return data instanceof Int8Array ? INT8 : INT64;
}

// Protobuf's wire format: a field number with its type, then a variable-length integer, bytes, or four bytes.
const text = (field: number, value: string) => bytes(field, new TextEncoder().encode(value));
const bytes = (field: number, value: Uint8Array) =>
  join([varint((field << 3) | 2), varint(value.length), value]);
const integer = (field: number, value: number) => join([varint(field << 3), varint(value)]);

function float32(field: number, value: number): Uint8Array {
  const four = new Uint8Array(4);
  new DataView(four.buffer).setFloat32(0, value, true);
  return join([varint((field << 3) | 5), four]);
}

function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.from([...out, Number(rest)]);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
