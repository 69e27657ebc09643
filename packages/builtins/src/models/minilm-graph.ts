/** all-MiniLM-L6-v2 as an ONNX graph, built from its published weights: six BERT layers, the mean over the tokens, length 1. */
import { createOnnxGraph, type OnnxGraph } from "./onnx-graph.ts";
import type { Tensor, Tensors } from "./safetensors.ts";

export const MINILM_DIMENSIONS = 384;
const LAYERS = 6;
const HEADS = 12;
const EPSILON = 1e-12;
const EVENNESS = 0.5; // of the wide channels: 0 unchanged, 1 all equal; measured

/** `int8`: weights in a byte each (a quarter of the memory, twice as fast), at a small loss of precision. */
export function minilmGraph(tensors: Tensors, { int8 }: { int8: boolean }): Uint8Array {
  const graph = createOnnxGraph("minilm");
  let x = embeddings(graph, tensors, int8);
  for (let layer = 0; layer < LAYERS; layer++) x = encoderLayer(graph, tensors, layer, x, int8);
  const mean = graph.op("ReduceMean", [x], { ints: { axes: [1], keepdims: 0 } });
  const unit = graph.op("LpNormalization", [mean], { ints: { axis: -1, p: 2 } });
  return graph.finish(
    { name: "ids", dims: [1, "tokens"] },
    { name: "vector", dims: [1, MINILM_DIMENSIONS], from: unit },
  );
}

function embeddings(graph: OnnxGraph, tensors: Tensors, int8: boolean): string {
  const words = tensors.get("embeddings.word_embeddings.weight");
  const positions = tensors.get("embeddings.position_embeddings.weight");
  const segment = tensors.get("embeddings.token_type_embeddings.weight").data.subarray(0, MINILM_DIMENSIONS);
  const placed = positions.data.map((value, at) => value + (segment[at % MINILM_DIMENSIONS] ?? 0));
  const long = (name: string, value: bigint) => graph.weights(name, [1], BigInt64Array.of(value));
  const looked = int8
    ? quantizedRows(graph, words)
    : graph.op("Gather", [graph.weights("E", words.dims, words.data), "ids"]);
  const length = graph.op("Slice", [graph.op("Shape", ["ids"]), long("one", 1n), long("two", 2n)]);
  const position = graph.op("Slice", [
    graph.weights("P", positions.dims, placed),
    long("zero", 0n),
    length,
    long("axis", 0n),
  ]);
  return graph.op(
    "LayerNormalization",
    [graph.op("Add", [looked, position]), ...norm(graph, tensors, "embeddings.LayerNorm")],
    { ints: { axis: -1 }, floats: { epsilon: EPSILON } },
  );
}

function encoderLayer(graph: OnnxGraph, tensors: Tensors, layer: number, x: string, int8: boolean): string {
  const base = `encoder.layer.${layer}.`;
  const self = `${base}attention.self.`;
  const linear = (input: string, names: readonly string[], bias: boolean) =>
    multiply(graph, input, names.join("+"), sideBySide(names.map((name) => tensors.get(`${name}.weight`))), {
      int8,
      ...(bias && { bias: concat(names.map((name) => tensors.get(`${name}.bias`).data)) }),
    });
  const mixed = linear(x, [`${self}query`, `${self}key`, `${self}value`], true);
  const third = BigInt(MINILM_DIMENSIONS);
  const split = graph.weights(`${base}split`, [3], BigInt64Array.of(third, third, third));
  const [query = "", key = "", value = ""] = graph.ops("Split", [mixed, split], 3, { ints: { axis: 2 } });
  const heads = graph.op("MultiHeadAttention", [query, key, value], {
    microsoft: true,
    ints: { num_heads: HEADS },
  });
  const skip = (input: string, name: string, residual: string) =>
    graph.op("SkipLayerNormalization", [input, residual, ...norm(graph, tensors, name)], {
      microsoft: true,
      floats: { epsilon: EPSILON },
    });
  const attended = skip(
    linear(heads, [`${base}attention.output.dense`], true),
    `${base}attention.output.LayerNorm`,
    x,
  );
  const wide = linear(attended, [`${base}intermediate.dense`], false);
  const bias = tensors.get(`${base}intermediate.dense.bias`);
  const active = graph.op("BiasGelu", [wide, graph.weights(`${base}bias`, bias.dims, bias.data)], {
    microsoft: true,
  });
  const narrowed = narrow(graph, tensors, `${base}output.dense`, active, int8);
  return skip(narrowed, `${base}output.LayerNorm`, attended);
}

/**
 * From the wide middle of a layer back. A few of its channels are ten times larger than the rest, which would lose their
 * precision in bytes: where the peaks are known, they are scaled down first, and the matrix compensates.
 */
function narrow(graph: OnnxGraph, tensors: Tensors, name: string, wide: string, int8: boolean): string {
  const matrix = sideBySide([tensors.get(`${name}.weight`)]);
  const bias = tensors.get(`${name}.bias`).data;
  const peaks = `${name}.peaks`;
  if (!int8 || !tensors.has(peaks)) return multiply(graph, wide, name, matrix, { int8, bias });
  const [rows = 0, columns = 0] = matrix.dims;
  const scales = Float32Array.from(tensors.get(peaks).data, (peak) => Math.max(peak, 0.1) ** EVENNESS);
  const evened = graph.op("Mul", [
    wide,
    graph.weights(
      peaks,
      [rows],
      scales.map((scale) => 1 / scale),
    ),
  ]);
  const data = matrix.data.map((value, at) => value * (scales[Math.floor(at / columns)] ?? 1));
  return multiply(graph, evened, name, { dims: matrix.dims, data }, { int8, bias });
}

function norm(graph: OnnxGraph, tensors: Tensors, name: string): string[] {
  return ["weight", "bias"].map((part) => {
    const { dims, data } = tensors.get(`${name}.${part}`);
    return graph.weights(`${name}.${part}`, dims, data);
  });
}

function multiply(
  graph: OnnxGraph,
  input: string,
  name: string,
  { dims, data }: Tensor,
  { int8, bias }: { int8: boolean; bias?: Float32Array },
): string {
  const columns = dims[1] ?? 0;
  const biasName = bias && graph.weights(`${name}.b`, [columns], bias);
  if (!int8) {
    const product = graph.op("MatMul", [input, graph.weights(name, dims, data)]);
    return biasName ? graph.op("Add", [product, biasName]) : product;
  }
  const { scales, bytes } = quantized(data, columns, "columns");
  const inputs = [
    input,
    graph.weights(name, dims, bytes),
    graph.weights(`${name}.s`, [columns], scales),
    graph.weights(`${name}.z`, [columns], new Int8Array(columns)),
    ...(biasName ? [biasName] : []),
  ];
  return graph.op("DynamicQuantizeMatMul", inputs, { microsoft: true });
}

function quantizedRows(graph: OnnxGraph, { dims, data }: Tensor): string {
  const [rows = 0, columns = 0] = dims;
  const { scales, bytes } = quantized(data, columns, "rows");
  const whole = graph.op("Cast", [graph.op("Gather", [graph.weights("E", dims, bytes), "ids"])], {
    ints: { to: 1 },
  });
  return graph.op("Mul", [whole, graph.op("Gather", [graph.weights("E.s", [rows, 1], scales), "ids"])]);
}

function quantized(data: Float32Array, columns: number, per: "rows" | "columns") {
  const rows = data.length / columns;
  const scales = new Float32Array(per === "rows" ? rows : columns).fill(1e-8 / 127);
  const bytes = new Int8Array(data.length);
  const each = (visit: (at: number, group: number) => void) => {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        visit(row * columns + column, per === "rows" ? row : column);
      }
    }
  };
  each((at, group) => {
    scales[group] = Math.max(scales[group] as number, Math.abs(data[at] as number) / 127);
  });
  each((at, group) => {
    bytes[at] = Math.round((data[at] as number) / (scales[group] as number));
  });
  return { scales, bytes };
}

/** PyTorch stores a layer as [out, in]; the product needs [in, out], and three side by side become one product. */
function sideBySide(layers: readonly Tensor[]): Tensor {
  const rows = layers[0]?.dims[1] ?? 0;
  const columns = layers.reduce((sum, { dims }) => sum + (dims[0] ?? 0), 0);
  const data = new Float32Array(rows * columns);
  let offset = 0;
  for (const { dims, data: source } of layers) {
    const [out = 0] = dims;
    for (let column = 0; column < out; column++) {
      for (let row = 0; row < rows; row++) {
        data[row * columns + offset + column] = source[column * rows + row] as number;
      }
    }
    offset += out;
  }
  return { dims: [rows, columns], data };
}

function concat(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
