// Made from openapi.yaml by clients/generate. Do not edit.
import type { Ids, Integer, Numbers, Text } from "./values.js";
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: int64
         * @description An id of the encoding, below the model’s `vocab_size`.
         */
        TokenId: number;
        /** @description Token rows as they are. */
        PositionEmbeddingNone: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "none";
            /**
             * @description The rope of a folder’s config.json, which is not computed. Absent: there is none.
             * @enum {string}
             */
            rope_type?: "longrope" | "proportional" | "other";
        };
        /** @description Adds `position_embeddings` to the token rows. */
        PositionEmbeddingLearnedAbsolute: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "learned_absolute";
        };
        /** @description Adds `position_embeddings` to the token rows. */
        PositionEmbeddingSinusoidal: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "sinusoidal";
            /** @description Base of the geometric progression of wavelengths. Default: `10000`. */
            base?: number;
            /**
             * @description The paper’s frequencies base^(−2i/C), or tensor2tensor’s base^(−i/(C/2−1)). Default: `vaswani`.
             * @enum {string}
             */
            variant?: "vaswani" | "tensor2tensor";
            /**
             * @description Sines and cosines in turns, or one half each. Absent: interleaved for vaswani, else concatenated.
             * @enum {string}
             */
            layout?: "interleaved" | "concatenated";
            /**
             * @description float64: computed in double, rounded once. float32: as a float32 PyTorch module computes it. Default: `float64`.
             * @enum {string}
             */
            precision?: "float64" | "float32";
        };
        RopeScalingLinear: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "linear";
            /** @description How many times longer than the original the context is. */
            factor: number;
        };
        RopeScalingDynamic: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "dynamic";
            /** @description How many times longer than the original the context is. */
            factor: number;
            /** @description Up to this length nothing is scaled. */
            max_position_embeddings: number;
            /**
             * Format: int64
             * @description The length that the base is computed for. Absent: position_offset + context_length.
             */
            seq_len?: number;
        };
        RopeScalingYarn: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "yarn";
            /** @description How many times longer than the original the context is. */
            factor: number;
            /** @description The context length that the model was first trained with. */
            original_max_position_embeddings: number;
            /** @description Turns above which a frequency stays as it is. Default: `32`. */
            beta_fast?: number;
            /** @description Turns below which it is divided by the factor. Default: `1`. */
            beta_slow?: number;
            /** @description With mscale_all_dim: the attention factor’s numerator. */
            mscale?: number;
            /** @description With mscale: its denominator. */
            mscale_all_dim?: number;
            /** @description Multiplies cos and sin. Absent: 0.1·ln(factor) + 1, or the ratio of the two mscales. */
            attention_factor?: number;
            /** @description Round the ramp’s ends outwards to whole frequencies. Default: `true`. */
            truncate?: boolean;
        };
        RopeScalingLlama3: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "llama3";
            /** @description How many times longer than the original the context is. */
            factor: number;
            /** @description Turns below which a frequency is divided by the factor. */
            low_freq_factor: number;
            /** @description Turns above which it stays as it is. */
            high_freq_factor: number;
            /** @description The context length that the model was first trained with. */
            original_max_position_embeddings: number;
        };
        /** @description How rotary frequencies are stretched for a longer context. */
        RopeScaling: components["schemas"]["RopeScalingLinear"] | components["schemas"]["RopeScalingDynamic"] | components["schemas"]["RopeScalingYarn"] | components["schemas"]["RopeScalingLlama3"];
        /** @description Gives the attention `inv_freq`, `cos`, `sin`. */
        PositionEmbeddingRope: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "rope";
            /** @description Width of one attention head, D. Default: `64`. */
            head_dim?: number;
            /** @description R: channels of a head that are rotated, even, at most head_dim. Absent: head_dim. */
            rotary_dim?: number;
            /** @description Base of the geometric progression of wavelengths. Default: `10000`. */
            rope_theta?: number;
            /**
             * @description Which channels make a pair: i with i + R/2, or 2i with 2i + 1. Said back; the tables are the same. Default: `half`.
             * @enum {string}
             */
            layout?: "half" | "interleaved";
            /**
             * @description float32: rounded where PyTorch’s tensors round. float64: computed in double, rounded once. Default: `float32`.
             * @enum {string}
             */
            precision?: "float32" | "float64";
            /** @description Stretches the frequencies for a longer context. Absent: none. */
            scaling?: components["schemas"]["RopeScaling"];
        };
        /** @description Gives the attention `alibi_slopes`, `position_bias`. */
        PositionEmbeddingAlibi: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "alibi";
            /** @description Number of attention heads H. Default: `8`. */
            num_heads?: number;
            /**
             * @description causal: −∞ where the key is after the query. symmetric: −slope·|distance|. key: slope·key. Default: `causal`.
             * @enum {string}
             */
            form?: "causal" | "symmetric" | "key";
            /** @description Number of keys K, at positions 0 … K−1. Absent: position_offset + context_length. */
            key_length?: number;
        };
        Seed: number | string;
        /** @description Gives the attention `relative_position_bucket`, `position_bias`. */
        PositionEmbeddingT5: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "t5";
            /** @description Number of attention heads H. Default: `8`. */
            num_heads?: number;
            /** @description Rows of the bias table; distances share them. Default: `32`. */
            num_buckets?: number;
            /** @description From here on all distances share the last bucket. Default: `128`. */
            max_distance?: number;
            /** @description An encoder: keys after the query have half the buckets. false: they all fall into bucket 0. Default: `true`. */
            bidirectional?: boolean;
            /** @description Number of keys K, at positions 0 … K−1. Absent: position_offset + context_length. */
            key_length?: number;
            /** @description Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1. Default: `123`. */
            seed?: Integer;
        };
        /** @description Gives the attention `relative_position_index`, `relative_key_embeddings`, `relative_value_embeddings`. */
        PositionEmbeddingShaw: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "shaw";
            /** @description k: distances beyond ±k share the outermost rows; a table has 2k+1. Default: `16`. */
            max_relative_position?: number;
            /** @description Width of one attention head, D. Default: `64`. */
            head_dim?: number;
            /** @description Number of keys K, at positions 0 … K−1. Absent: position_offset + context_length. */
            key_length?: number;
            /** @description Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1. Default: `123`. */
            seed?: Integer;
        };
        /** @description Gives the attention `relative_position_embeddings`, `content_bias`, `position_bias_vector`. */
        PositionEmbeddingTransformerXl: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "transformer_xl";
            /** @description Number of attention heads H; divides embedding_dim. Default: `8`. */
            num_heads?: number;
            /** @description M: cached positions before the window. Absent: position_offset. */
            memory_length?: number;
            /** @description Distances above it count as it. −1 (or 0): none. Default: `-1`. */
            clamp_length?: number;
            /** @description Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1. Default: `123`. */
            seed?: Integer;
        };
        /** @description Gives the attention `relative_position`, `c2p_index`, `p2c_index`, `relative_embeddings`. */
        PositionEmbeddingDeberta: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "deberta";
            /**
             * @description 2: DeBERTa v2 and v3, distances in logarithmic buckets. 1: the first DeBERTa, distances as they are. Default: `2`.
             * @enum {number}
             */
            version?: 1 | 2;
            /** @description S of version 1 (and without buckets); in version 2 the distance that fills the last bucket. Default: `512`. */
            max_relative_positions?: number;
            /** @description S of version 2: buckets of each side. 0: none, as in version 1. Version 1 ignores it. Default: `256`. */
            position_buckets?: number;
            /** @description Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1. Default: `123`. */
            seed?: Integer;
        };
        /** @description A position scheme with its options: a flat object. */
        PositionEmbeddingOptions: components["schemas"]["PositionEmbeddingNone"] | components["schemas"]["PositionEmbeddingLearnedAbsolute"] | components["schemas"]["PositionEmbeddingSinusoidal"] | components["schemas"]["PositionEmbeddingRope"] | components["schemas"]["PositionEmbeddingAlibi"] | components["schemas"]["PositionEmbeddingT5"] | components["schemas"]["PositionEmbeddingShaw"] | components["schemas"]["PositionEmbeddingTransformerXl"] | components["schemas"]["PositionEmbeddingDeberta"];
        /** @description A position scheme: a type with every option at its default, or a flat object with options. */
        PositionEmbedding: ("none" | "learned_absolute" | "sinusoidal" | "rope" | "alibi" | "t5" | "shaw" | "transformer_xl" | "deberta") | components["schemas"]["PositionEmbeddingOptions"];
        /**
         * @description What is done to the token rows.
         * @enum {string}
         */
        Architecture: "gpt2" | "transformer" | "bert" | "llama" | "gpt_neox" | "gemma" | "t5" | "deberta" | "deberta_v2" | "transformer_xl" | "bloom";
        /**
         * @description Name of a tensor; segment_ids, cu_seq_lens, loss_mask, labels, dataset_index are of datasets alone.
         * @enum {string}
         */
        OutputName: "input_embeddings" | "token_embeddings" | "inputs_embeds" | "input_ids" | "target_ids" | "attention_mask" | "position_ids" | "document_ids" | "window_starts" | "segment_ids" | "cu_seq_lens" | "loss_mask" | "labels" | "dataset_index" | "position_embeddings" | "inv_freq" | "cos" | "sin" | "alibi_slopes" | "position_bias" | "relative_position_bucket" | "relative_position_index" | "relative_key_embeddings" | "relative_value_embeddings" | "relative_position_embeddings" | "content_bias" | "position_bias_vector" | "relative_position" | "c2p_index" | "p2c_index" | "relative_embeddings" | "hidden_streams" | "per_layer_inputs" | "per_layer_projected" | "ngram_ids" | "ngram_embeddings";
        Embedding: {
            /** @constant */
            object: "embedding";
            /**
             * Format: int64
             * @description Place of the text in `input`.
             */
            index: number;
            /** @description Numbers of the `output_dtype`; under `encoding_format` base64 one string of their bytes, little-endian. */
            embedding: number[] | string;
        };
        EmbeddingsUsage: {
            /**
             * Format: int64
             * @description Tokens of all texts, without those beyond the model’s `max_length`.
             */
            prompt_tokens: number;
            /**
             * Format: int64
             * @description The same.
             */
            total_tokens: number;
        };
        EmbeddingsAnswer: {
            /** @constant */
            object: "list";
            data: components["schemas"]["Embedding"][];
            /** @description Id of the model. */
            model: string;
            /** @description The version of its tables. */
            model_version: string;
            /**
             * @description Type of the numbers where they are no float32.
             * @enum {string}
             */
            output_dtype?: "int8" | "uint8" | "binary" | "ubinary";
            usage: components["schemas"]["EmbeddingsUsage"];
        };
        PromptEmbedsAnswer: {
            /** @description Id of the model. */
            model: string;
            /** @description The version of its tables. */
            model_version: string;
            /** @description For each document the file of one tensor, as PyTorch saves it. */
            prompt_embeds?: string[];
            /** @description Of Gemma 3n and 4, in the same form: [T, L, D], what their argument of this name takes. */
            per_layer_inputs?: string[];
            /** @description Of Qwen4-Exp: the ids of each document, by which its blocks look rows up. */
            ple_input_ids?: number[][];
            /** @description For `target` sglang, in its place: for each document an array for each token. */
            input_embeds?: number[][][];
            /** @description T of each document. */
            num_tokens: number[];
            /** @description [T, C] of each document. */
            shape: number[][];
        };
        Neighbor: {
            /**
             * Format: int64
             * @description Row of the table: a token, or a position.
             */
            id: number;
            /** @description The token; null where it is no whole text. */
            text: string | null;
            /** @description Cosine, dot product, or Euclidean distance. */
            score: number;
        };
        NeighborsAnswer: {
            /** @description Id of the model. */
            model: string;
            /** @description The version of its tables. */
            model_version: string;
            /** @description For each query, the nearest first. */
            neighbors: components["schemas"]["Neighbor"][][];
        };
        DetokenizedDocument: {
            text: string;
            /** @description Whether bytes that are not UTF-8 came as U+FFFD. */
            lossy: boolean;
        };
        DetokenizeAnswer: {
            /** @description The text of one list of ids. Absent for a list of lists. */
            text?: string;
            /** @description Whether bytes that are not UTF-8 came as U+FFFD. */
            lossy?: boolean;
            /** @description For a list of lists: the text of each, in order. */
            documents?: components["schemas"]["DetokenizedDocument"][];
        };
        RenderedPrompt: {
            request_id: string;
            model: string;
            /** @description The ids, unless `target` is `sglang`. */
            token_ids?: number[];
            /** @description The ids, where `target` is `sglang`. */
            input_ids?: number[];
            /** @description 1 where an id is the assistant’s. Present under `return_assistant_tokens_mask`. */
            assistant_tokens_mask?: number[];
            /** @description Of texts there are none. Always: `null`. */
            features: unknown;
        };
        /** @description An object for each prompt, in their order. */
        RenderedPrompts: components["schemas"]["RenderedPrompt"][];
        RefusedChat: {
            /**
             * Format: int64
             * @description Its line in the upload, from 1.
             */
            line: number;
            /**
             * Format: int64
             * @description The message without an exact mask; null: the chat as a whole.
             */
            turn: number | null;
            /** @enum {string} */
            reason: "not_rendered" | "opens_next_turn" | "rewrites_history";
        };
        ChatCounts: {
            /**
             * Format: int64
             * @description Chats of the upload.
             */
            num_chats: number;
            /**
             * Format: int64
             * @description Chats that are one document.
             */
            num_whole: number;
            /**
             * Format: int64
             * @description Chats with a document for each turn.
             */
            num_by_turn: number;
            /**
             * Format: int64
             * @description Chats that were left out.
             */
            num_refused: number;
            /** @description The first ten of these. */
            refused: components["schemas"]["RefusedChat"][];
            /**
             * Format: int64
             * @description Trained tokens but the first of a document.
             */
            num_target_tokens: number;
            /**
             * Format: int64
             * @description Turns whose beginning the prompt writes.
             */
            num_prefilled: number;
            /**
             * Format: int64
             * @description Turns without an end: a model trained on them does not learn to stop.
             */
            num_without_stop: number;
            /**
             * Format: int64
             * @description Tokens that only overlap a turn, and are not trained.
             */
            num_straddling: number;
            /**
             * Format: int64
             * @description Documents without a trained token.
             */
            num_untrained: number;
        };
        DatasetMember: {
            /** @description Its id. */
            dataset: string;
            /** @description Its share, beside those of the others. */
            weight: number;
        };
        DatasetStage: {
            /**
             * Format: int64
             * @description The window of the stream that it begins with.
             */
            from_window: number;
            /** @description One for each member. */
            weights: number[];
        };
        Dataset: {
            /** @description Of the content: `ds_`, or `mx_` of a mixture, and 26 letters. */
            id: string;
            /** @constant */
            object: "dataset";
            /** @description A name for people. */
            name: string | null;
            /** @description What made its ids: an encoding, or a model with a tokenizer of its own; null: ids came as ids. */
            encoding: string | null;
            /** @description The special tokens that counted as such: an array of literals, or `all`; null where ids came. */
            allowed_special?: unknown;
            /**
             * Format: int64
             * @description The id that was put before each document.
             */
            document_start?: number | null;
            /** @description Its literal, as `<s>`. */
            document_start_literal?: string | null;
            /**
             * Format: int64
             * @description The id that was appended to each document.
             */
            document_end?: number | null;
            /** @description Its literal, as `<|endoftext|>`. */
            document_end_literal?: string | null;
            /**
             * Format: int64
             * @description Not of mixtures, as all that follows down to `created`.
             */
            num_documents?: number;
            /**
             * Format: int64
             * @description Ids of all documents.
             */
            num_tokens?: number;
            /**
             * Format: int64
             * @description Unicode code points; null where ids came.
             */
            num_characters?: number | null;
            /**
             * @description Element type of the tokens file.
             * @enum {string}
             */
            dtype?: "uint16" | "uint32";
            /**
             * Format: int64
             * @description Bytes of its files.
             */
            size_bytes?: number;
            /**
             * Format: int64
             * @description The highest id; null where there is none.
             */
            max_token_id?: number | null;
            /** @description Of the tokens file, in hexadecimal. */
            sha256?: string;
            /**
             * @description Of chats, as the next three: the law of their masks.
             * @enum {string}
             */
            mask?: "sampled" | "tags" | "all";
            /**
             * @description What became a document.
             * @enum {string}
             */
            turns?: "auto" | "whole" | "each" | "last";
            /**
             * @description What follows the end of a turn.
             * @enum {string}
             */
            trailing?: "mask" | "train";
            /** @description What became of them. */
            chats?: components["schemas"]["ChatCounts"];
            /** @description The members of a mixture. */
            mixture?: components["schemas"]["DatasetMember"][];
            /** @description Of a mixture whose weights change. */
            stages?: components["schemas"]["DatasetStage"][];
            /**
             * Format: int64
             * @description Seconds since 1970.
             */
            created: number;
            /**
             * @description `memory`: without DATA_DIR; it ends with the process.
             * @enum {string}
             */
            stored: "disk" | "memory";
        };
        DatasetList: {
            /** @constant */
            object: "list";
            /** @description The newest first. */
            data: components["schemas"]["Dataset"][];
            /** @description Whether more come after the last one: `after` names it. */
            has_more: boolean;
        };
        DatasetDocument: {
            /**
             * Format: int64
             * @description Its number.
             */
            document: number;
            /**
             * Format: int64
             * @description Place of its first token in the dataset.
             */
            start: number;
            /**
             * Format: int64
             * @description Its tokens.
             */
            num_tokens: number;
            /** @description Its ids. */
            input_ids: number[];
            /** @description Of chats: 1 where a token is trained. */
            loss_mask?: number[];
            /** @description Their text; null where the dataset has no encoding. */
            text: string | null;
            /** @description Whether bytes that are not UTF-8 came as U+FFFD. */
            lossy?: boolean;
        };
        DatasetRecipe: {
            /** @description T, tokens in a window. */
            context_length: number;
            /**
             * Format: int64
             * @description Tokens from one window to the next.
             */
            stride: number;
            /**
             * @description What becomes of tokens after the last full window.
             * @enum {string}
             */
            tail: "drop" | "pad";
            /**
             * Format: int64
             * @description Id in padded slots; null where there is none.
             */
            pad_token_id: number | null;
            /**
             * @description `none`: windows of each document. `concat`: documents one after the other, windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit, right-padded. Default: `none`.
             * @enum {string}
             */
            packing: "none" | "concat" | "best_fit";
            /**
             * @description Under `best_fit`: documents longer than T give all their pieces, their first T tokens alone, or none. Default: `split`.
             * @enum {string}
             */
            long_documents: "split" | "truncate" | "drop";
            /**
             * Format: int64
             * @description Windows in a batch: of all ranks; under `distributed_sampler` of each.
             */
            batch_size: number;
            /** @description Leave out a last, short batch; under `distributed_sampler` it is the sampler’s `drop_last` too. Default: `false`. */
            drop_last: boolean;
            /** @description `true`, `false` or `"index"`. */
            shuffle: unknown;
            /**
             * @description `global_batch`: each rank gets its part of every batch. `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
             * @enum {string}
             */
            sharding: "global_batch" | "distributed_sampler";
            /**
             * Format: int64
             * @description Which of the ranks asks, from 0. Default: `0`.
             */
            rank: number;
            /** @description Number of ranks. Default: `1`. */
            world_size: number;
            /** @description Which pass over the dataset, from 0. Default: `0`. */
            epoch: number;
            /** @description A number, beyond 2^53 − 1 a string; null where there is none. */
            seed: unknown;
            /** @description Batches in one answer, side by side. Default: `1`. */
            num_batches: number;
        };
        DatasetShare: {
            /** @description Its id. */
            dataset: string;
            /**
             * Format: int64
             * @description Windows of one epoch of it.
             */
            num_windows: number;
            /** @description For each stage its windows in a block of 1,024. */
            windows_per_block: number[];
            /**
             * Format: int64
             * @description The window of the stream behind its first epoch; null where that never ends.
             */
            first_epoch_ends_at: number | null;
        };
        DatasetPlan: {
            /** @description Its id. */
            dataset: string;
            /** @description Every field of the recipe. */
            recipe: components["schemas"]["DatasetRecipe"];
            /** @description Of what decides order and content. */
            recipe_id: string;
            /**
             * Format: int64
             * @description Windows of an epoch; of a mixture, of one epoch of each member.
             */
            num_windows: number;
            /**
             * Format: int64
             * @description Batches of an epoch; not of a mixture, which does not end.
             */
            num_batches?: number;
            /**
             * Format: int64
             * @description Windows that `drop_last` leaves out.
             */
            num_dropped_windows?: number;
            /** @description Share of the slots that hold tokens. */
            fill: number;
            /**
             * Format: int64
             * @description Slots that hold none.
             */
            num_padding: number;
            /**
             * Format: int64
             * @description Tokens that no window holds.
             */
            num_dropped_tokens: number;
            /**
             * Format: int64
             * @description Documents that stand in more than one window.
             */
            num_split_documents: number;
            /**
             * Format: int64
             * @description Of chats: trained targets of the windows.
             */
            num_target_tokens?: number;
            /**
             * Format: int64
             * @description Pieces without one, which best_fit leaves out.
             */
            num_untrained_pieces?: number;
            /**
             * Format: int64
             * @description Documents that `long_documents` drop leaves out.
             */
            num_dropped_documents?: number;
            /**
             * Format: int64
             * @description Its tokens.
             */
            longest_document: number;
            /** @description Of a mixture, for each member. */
            shares?: components["schemas"]["DatasetShare"][];
            /** @description What a trainer may want otherwise. */
            note?: string;
        };
        SeenText: {
            /** @description Of tokens side by side. */
            text: string;
            /** @description Whether they are; without a mask all are. */
            trained: boolean;
        };
        SeenDocument: {
            /**
             * Format: int64
             * @description The row of the batch that its tokens stand in.
             */
            row: number;
            /** @description Of a mixture: the member that it is from. */
            dataset?: string;
            /**
             * Format: int64
             * @description Its number in its dataset.
             */
            document: number;
            /**
             * Format: int64
             * @description Its line in the upload that made the dataset, from 1; where that is known.
             */
            line?: number;
            /**
             * Format: int64
             * @description The slot of the row that its first token here stands in.
             */
            start: number;
            /**
             * Format: int64
             * @description The slot behind its last one.
             */
            end: number;
            /**
             * Format: int64
             * @description That first token’s place in the document.
             */
            first_token: number;
            /**
             * Format: int64
             * @description Its tokens in the row.
             */
            num_tokens: number;
            /**
             * Format: int64
             * @description Of them those with a trained target.
             */
            num_target_tokens: number;
            /** @description Under `text`, where the dataset has an encoding. */
            texts?: components["schemas"]["SeenText"][];
        };
        DatasetBatchDocuments: {
            /** @description Its id. */
            dataset: string;
            /** @description Of what decides order and content. */
            recipe_id: string;
            /**
             * Format: int64
             * @description The epoch.
             */
            epoch: number;
            /**
             * Format: int64
             * @description The batch, the first one of several.
             */
            batch_index: number;
            /**
             * Format: int64
             * @description Batches of an epoch; not of a mixture.
             */
            num_batches?: number;
            /** @description Row by row; slots behind those of a row are padding. */
            documents: components["schemas"]["SeenDocument"][];
        };
        ModelTokenizer: {
            /**
             * @description Kind of the tokenizer.
             * @enum {string}
             */
            type: "tiktoken" | "byte_pair" | "wordpiece" | "foreign" | "none";
            /** @description Whether it takes text. */
            available: boolean;
            /** @description Why it takes none. */
            reason?: string;
        };
        ModelPerLayer: {
            /**
             * Format: int64
             * @description L
             */
            layers: number;
            /**
             * Format: int64
             * @description D: width of a layer’s row, in elements.
             */
            width: number;
            /**
             * Format: int64
             * @description Rows of the table.
             */
            rows: number;
        };
        ModelNgrams: {
            /**
             * Format: int64
             * @description The layer that takes the rows, from 1; 0: they are added before the first.
             */
            layer: number;
            /**
             * Format: int64
             * @description Rows of a token.
             */
            heads: number;
            /**
             * Format: int64
             * @description Width of a row, in elements.
             */
            width: number;
            /**
             * Format: int64
             * @description Rows of the table.
             */
            rows: number;
            /** @description Rows of each head. */
            sizes: number[];
            /** @description The first row of each head. */
            offsets: number[];
            /** @description Of the hashes; a string beyond 2^53 − 1. */
            multipliers: (number | string)[];
            /**
             * Format: int64
             * @description Ids before a token that its rows depend on.
             */
            context: number;
        };
        ModelMemory: {
            per_layer?: components["schemas"]["ModelPerLayer"];
            ngrams?: components["schemas"]["ModelNgrams"][];
        };
        ModelPooling: {
            /**
             * @description What makes one row of a text’s rows.
             * @constant
             */
            type: "mean";
            /**
             * @description The library that it computes as.
             * @enum {string}
             */
            flavour: "model2vec" | "sentence_transformers";
            /** @description Whether embeddings have the length 1. */
            normalize: boolean;
            /**
             * Format: int64
             * @description Numbers of an embedding.
             */
            dimensions: number;
            /**
             * Format: int64
             * @description Most tokens of a text; null: all.
             */
            max_length: number | null;
            /** @description Whether unknown tokens are left out. */
            drops_unknown: boolean;
            /** @description Whether `/v1/embeddings` takes ids too, not texts alone. */
            accept_ids: boolean;
        };
        ModelTablesSeed: {
            /** @constant */
            source: "seed";
            /** @description `torch.manual_seed`; a string beyond 2^53 − 1. */
            seed: number | string;
            /** @description Standard deviation of the tables. */
            init_std: number;
        };
        ModelTablesFile: {
            name: string;
            /** Format: int64 */
            bytes: number;
        };
        ModelTablesFolder: {
            /** @constant */
            source: "folder";
            /** @description The files that the tables are read from, with their sizes. */
            files: components["schemas"]["ModelTablesFile"][];
        };
        ModelTablesUpload: {
            /** @constant */
            source: "upload";
            /** @description Of the file, in hex; null where its tables are gone. */
            sha256: string | null;
        };
        ModelTablesLearned: {
            /**
             * @description Steps of an optimizer.
             * @constant
             */
            source: "learned";
        };
        /** @description Where the numbers of the tables come from. */
        ModelTables: components["schemas"]["ModelTablesSeed"] | components["schemas"]["ModelTablesFolder"] | components["schemas"]["ModelTablesUpload"] | components["schemas"]["ModelTablesLearned"];
        ModelError: {
            /** @enum {string} */
            code: "invalid_json" | "invalid_request" | "invalid_unicode" | "empty_input" | "invalid_encoding" | "unauthorized" | "admin_disabled" | "forbidden" | "not_found" | "model_not_found" | "dataset_not_found" | "optimizer_not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "model_exists" | "nothing_pending" | "model_in_use" | "optimizer_exists" | "recipe_mismatch" | "precondition_failed" | "body_too_large" | "response_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "context_too_long" | "no_windows" | "batch_out_of_range" | "token_out_of_range" | "unsupported_combination" | "tokenizer_unavailable" | "tables_unavailable" | "template_unavailable" | "template_unsupported" | "template_failed" | "chat_refused" | "model_failed" | "shape_mismatch" | "not_finite" | "encoding_mismatch" | "idempotency_key_reused" | "headers_too_large" | "internal" | "not_implemented" | "loading" | "overloaded" | "model_loading" | "not_live" | "stopping" | "dataset_indexing" | "deadline_exceeded" | "insufficient_storage" | "insufficient_memory";
            message: string;
        };
        LearningOptimizer: {
            /** @description Its name. */
            type: string;
            /** @description The tables that move. */
            tables: ("wte.weight" | "wpe.weight")[];
            /** @description The only rows of `wte.weight` that move. */
            rows?: number[];
        } & {
            [key: string]: unknown;
        };
        LearningCheckpoint: {
            /**
             * Format: int64
             * @description Steps so far.
             */
            step: number;
            /** @description The version of its tables. */
            model_version: string;
        };
        ModelLearning: {
            /** @description The optimizer, defaults filled in. */
            optimizer: components["schemas"]["LearningOptimizer"];
            /**
             * Format: int64
             * @description Steps so far.
             */
            step: number;
            /**
             * Format: int64
             * @description Calls with gradients since the last step.
             */
            pending: number;
            /**
             * Format: int64
             * @description Bytes of the optimizer’s states.
             */
            state_bytes: number;
            /** @description The last checkpoint on the disk: where a restart goes on. */
            checkpoint: components["schemas"]["LearningCheckpoint"] | null;
        };
        ModelLimits: {
            /**
             * Format: int64
             * @description Largest text/plain body, unpacked.
             */
            max_body_bytes: number;
            /**
             * Format: int64
             * @description Largest JSON body, unpacked.
             */
            max_json_body_bytes: number;
            /**
             * Format: int64
             * @description Largest JSON answer; a float counts 14, an id 7.
             */
            max_json_response_bytes: number;
            /**
             * Format: int64
             * @description Largest binary answer.
             */
            max_response_bytes: number;
            /**
             * Format: int64
             * @description Most documents of one request.
             */
            max_documents: number;
        };
        Model: {
            id: string;
            /** @constant */
            object: "model";
            /**
             * Format: int64
             * @description When the tables were made, in seconds since 1970.
             */
            created: number;
            owned_by: string;
            /**
             * @description Whether its tables are there.
             * @enum {string}
             */
            state: "ready" | "loading" | "unloaded" | "failed";
            /** @description Which set of tables it has, "1" and up; null where they are not there. */
            model_version: string | null;
            /** @description What the model calls itself; `seed` where no checkpoint says. */
            model_type: string;
            /** @description Name of the encoding; null where a folder brings its tokenizer. */
            encoding: string | null;
            tokenizer: components["schemas"]["ModelTokenizer"];
            /** @description Of the folder’s tokenizer files: equal where their bytes are, so that replicas can be compared. Null for an encoding, which its name tells. */
            tokenizer_sha256?: string | null;
            /** @description The commit at which the folder was downloaded; null where that is not known. */
            revision?: string | null;
            /** @description Literals with ids of their own. */
            special_tokens: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Id in padded slots where a request names none.
             */
            pad_token_id: number | null;
            /**
             * Format: int64
             * @description V: rows of the token table. Every id is below it.
             */
            vocab_size: number;
            /**
             * Format: int64
             * @description C: width of a row, in elements; null where there are no tables.
             */
            embedding_dim: number | null;
            /**
             * Format: int64
             * @description Width of `input_embeddings`, in elements; null as `embedding_dim`.
             */
            hidden_size: number | null;
            /**
             * Format: int64
             * @description P: positions of the learned position table, or those that the model was trained for.
             */
            max_position_embeddings: number | null;
            /** @description What is done to the token rows where a request does not say. */
            architecture: string;
            /** @description Type of the position scheme where a request does not say. */
            position_embedding: string;
            /** @description Element type of the tables; null as `embedding_dim`. */
            dtype: ("float32" | "float16" | "bfloat16") | null;
            /**
             * Format: int64
             * @description Bytes of the tables; of those that it would have where it has none.
             */
            table_bytes: number;
            /**
             * Format: int64
             * @description Bytes of the tables whose rows are read from their files.
             */
            disk_table_bytes: number;
            /**
             * Format: int64
             * @description S: streams that the first block takes; 1 for most models.
             */
            hidden_streams: number;
            /** @description Rows that it looks up beside a token’s own, from files; null for most models. */
            memory: components["schemas"]["ModelMemory"] | null;
            /** @description How a static model makes one embedding of a text; null for any other. */
            pooling: components["schemas"]["ModelPooling"] | null;
            /** @description Where the numbers of the tables come from; null for a model that serves tokens alone. */
            tables: components["schemas"]["ModelTables"] | null;
            /** @description Why a model has no tables and never will: it serves tokens alone. */
            tables_unavailable?: components["schemas"]["ModelError"];
            /** @description How far it has learned; null where it has no optimizer. */
            learning: components["schemas"]["ModelLearning"] | null;
            /** @description Why it failed; null where it did not. */
            error: components["schemas"]["ModelError"] | null;
            /** @description TensorFlow.js backend that embeds. */
            backend: string;
            /** @description TensorFlow.js’s version for `cpu`, TensorFlow’s own for `tensorflow`. */
            backend_version: string;
            /** @description Why this backend, and not the other. */
            backend_reason: string;
            limits: components["schemas"]["ModelLimits"];
        };
        ModelList: {
            /** @constant */
            object: "list";
            /** @description The models. */
            data: components["schemas"]["Model"][];
        };
        TablesExchanged: {
            /** @description Id of the model. */
            model: string;
            /** @description Its version from now on. */
            model_version: string;
        };
        /** @description The optimizer with all its options, and how far it is. */
        Optimizer: {
            /** @description Id of the model. */
            model: string;
            /** @description The version of its tables. */
            model_version: string;
            /** @description Its name. */
            type: string;
            /** @description The tables that move. */
            tables: ("wte.weight" | "wpe.weight")[];
            /** @description The only rows of `wte.weight` that move. */
            rows?: number[];
            /**
             * Format: int64
             * @description Steps so far.
             */
            step: number;
            /**
             * Format: int64
             * @description Calls with gradients since the last step.
             */
            pending: number;
            /**
             * Format: int64
             * @description Bytes of the optimizer’s states.
             */
            state_bytes: number;
        } & {
            [key: string]: unknown;
        };
        RowsByTable: {
            /**
             * Format: int64
             * @description Rows of the token table.
             */
            "wte.weight"?: number;
            /**
             * Format: int64
             * @description Rows of the position table.
             */
            "wpe.weight"?: number;
        };
        NormsByTable: {
            /** @description Norm of the token table. */
            "wte.weight"?: number;
            /** @description Norm of the position table. */
            "wpe.weight"?: number;
        };
        GradientsAnswer: {
            /** @description Id of the model. */
            model: string;
            /** @description The version of its tables. */
            model_version: string;
            /** @description Rows with a gradient since the last step. */
            rows: components["schemas"]["RowsByTable"];
            /** @description Norms of all gradients since the last step. */
            grad_norms: components["schemas"]["NormsByTable"];
            /**
             * Format: int64
             * @description Calls with gradients since the last step.
             */
            pending: number;
        };
        StepAnswer: {
            /** @description Id of the model. */
            model: string;
            /** @description The version of its tables. */
            model_version: string;
            /**
             * Format: int64
             * @description The number of the step, from 1.
             */
            step: number;
            /** @description Rows of which a bit has changed. */
            rows_updated: components["schemas"]["RowsByTable"];
            /** @description Norms of the new rows minus the old ones. */
            update_norms: components["schemas"]["NormsByTable"];
        };
        SavedCheckpoint: {
            /** @description Id of the model. */
            model: string;
            /**
             * Format: int64
             * @description Steps so far.
             */
            step: number;
            /** @description The version of its tables. */
            model_version: string;
        };
        Health: {
            /** @enum {string} */
            status: "live" | "ready";
        };
        InputEmbeddingsFields: {
            /** @description Raw text. Each string is one document; a window never crosses documents. */
            text?: Text;
            /** @description Token ids, used exactly as given: one document, or an array of them. */
            input_ids?: Ids;
            /** @description Beside `input_ids`, in their form: rows of the token-type table. */
            token_type_ids?: Ids;
            /** @description Id of the model. Default: the service’s default model. */
            model?: string;
            /**
             * Format: int64
             * @description T, tokens in a window. Absent: each document is one window of its own length.
             */
            context_length?: number;
            /**
             * Format: int64
             * @description Step between window starts, in tokens (not the overlap). Default: `context_length`.
             */
            stride?: number;
            /**
             * @description `drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.
             * @enum {string}
             */
            tail?: "drop" | "pad";
            /** @description Cut each document to its first `max_length` tokens; `num_truncated_tokens` counts what is cut off. Special tokens that `add_special_tokens` puts at the end stay. Default: nothing is ever cut. Default: `false`. */
            truncation?: boolean;
            /**
             * Format: int64
             * @description Tokens of a document under `truncation`. Default: as many as the model has positions for. Windows have `context_length`.
             */
            max_length?: number;
            /**
             * Format: int64
             * @description Id of padded slots. Default: the encoding’s end-of-text.
             */
            pad_token_id?: number;
            /**
             * Format: int64
             * @description Windows in a batch of the loader. Absent: all windows.
             */
            batch_size?: number;
            /**
             * Format: int64
             * @description The batch to answer with, from 0. Absent: all batches, in loader order.
             */
            batch_index?: number;
            /** @description Order of PyTorch’s DataLoader(shuffle=True); needs `seed`. Default: `false`. */
            shuffle?: boolean;
            /** @description `torch.manual_seed` before the loader, −2^63 … 2^64 − 1. */
            seed?: Integer;
            /** @description Which pass over the loader, from 0. Default: `0`. */
            epoch?: number;
            /** @description Leave out a last, short batch; needs `batch_size`. Default: `false`. */
            drop_last?: boolean;
            /** @description Position scheme. Default: the model’s own. */
            position_embedding?: components["schemas"]["PositionEmbedding"];
            /** @description What is done to the token rows. A model that was read from a checkpoint takes its own `model_type` only. */
            architecture?: components["schemas"]["Architecture"];
            /**
             * Format: int64
             * @description Position of a window’s first token. Default: `0`.
             */
            position_offset?: number;
            /** @description Names of the tensors to answer with. */
            outputs?: components["schemas"]["OutputName"][];
            /**
             * @description Element type of float outputs. Default: `float32`.
             * @enum {string}
             */
            dtype?: "float32" | "float16" | "bfloat16";
            /** @description Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders. */
            allowed_special?: "all" | string[];
            /** @description Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none. Default: `false`. */
            add_special_tokens?: boolean;
            /** @description Models of n-grams: the last ids before each window, from which its n-grams go on, or `document`: those of its document. Default: a window begins a text. */
            ngram_context?: "document" | unknown[];
        };
        PositionEmbeddingsFields: {
            /** @description Position scheme. Default: the model’s own. */
            position_embedding?: components["schemas"]["PositionEmbedding"];
            /**
             * Format: int64
             * @description T: how many positions.
             */
            context_length: number;
            /**
             * Format: int64
             * @description Position of a window’s first token. Default: `0`.
             */
            position_offset?: number;
            /** @description Names of the tensors to answer with. */
            outputs?: components["schemas"]["OutputName"][];
            /**
             * @description Element type of float outputs. Default: `float32`.
             * @enum {string}
             */
            dtype?: "float32" | "float16" | "bfloat16";
        };
        EmbeddingsFields: {
            /** @description A text, texts, the ids of a text, or those of several: an embedding for each. */
            input: string | string[] | components["schemas"]["TokenId"][] | components["schemas"]["TokenId"][][];
            /** @description Id of a static model. Default: the service’s default model. */
            model?: string;
            /**
             * Format: int64
             * @description How many of an embedding’s first numbers are wanted; they are normalized again where the model normalizes. Default: all.
             */
            dimensions?: number;
            /**
             * @description Type of the numbers: float32; steps within ranges (`int8`, `uint8`); a bit each, eight in a byte (`binary` as int8, `ubinary` as uint8). Default: `float`.
             * @enum {string}
             */
            output_dtype?: "float" | "int8" | "uint8" | "binary" | "ubinary";
            /** @description For `int8` and `uint8`: the least and the greatest value of each dimension in a sample of embeddings. Default: those of the model’s calibration.safetensors. */
            ranges?: number[][];
            /** @description Who asks. It changes nothing. */
            user?: string;
        };
        PromptEmbedsFields: {
            /** @description Id of the model. Default: the service’s default model. */
            model?: string;
            /** @description Raw text. Each string is one document; a window never crosses documents. */
            text?: string | string[];
            /** @description Token ids, used exactly as given: one document, or an array of them. */
            input_ids?: Ids;
            /** @description Messages of a chat, in place of texts: the model’s template makes a text of them, as transformers does. `content` is a text, or parts of type `text`. */
            messages?: {
                [key: string]: unknown;
            }[];
            /** @description Tools of the chat, for the template. */
            tools?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Documents of the chat, for the template. */
            documents?: {
                [key: string]: unknown;
            }[] | null;
            /** @description A template, or the name of one of the model’s. Default: the model’s. */
            chat_template?: string | null;
            /** @description Variables of the template’s own: `{"enable_thinking": false}`. */
            chat_template_kwargs?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the text ends with the beginning of an answer. Default: unless the last message is continued. */
            add_generation_prompt?: boolean | null;
            /** @description Whether the last message stays open; a text: the message’s field that does. Default: false. */
            continue_final_message?: boolean | string | null;
            /**
             * @description Who takes the rows: some models’ rows are multiplied before they are handed over, or after. Default: `vllm`.
             * @enum {string}
             */
            target?: "vllm" | "transformers" | "sglang";
            /**
             * @description Element type of the rows. Default: the model’s own.
             * @enum {string}
             */
            dtype?: "float32" | "float16" | "bfloat16";
            /** @description Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders. */
            allowed_special?: "all" | string[];
            /** @description Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none. Default: `true`. */
            add_special_tokens?: boolean;
        };
        NeighborsFields: {
            /** @description Rows of the table: one query, the mean of its rows, or several. */
            input_ids?: Ids;
            /** @description Raw text. Each string is one document; a window never crosses documents. */
            text?: string | string[];
            /** @description Rows that are given as numbers, each as wide as the table. */
            vector?: Numbers;
            /** @description Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders. */
            allowed_special?: "all" | string[];
            /** @description How many neighbours of each query. Default: `10`. */
            k?: number;
            /**
             * @description How near two rows are. A row of zeros has the cosine 0; `euclidean` is a distance. Default: `cosine`.
             * @enum {string}
             */
            metric?: "cosine" | "dot" | "euclidean";
            /**
             * @description The rows that are searched; those of `position` have positions as ids. Default: `token`.
             * @enum {string}
             */
            table?: "token" | "position";
        };
        TokenizeFields: {
            /** @description A text, or texts, each tokenized by itself. An escaped lone surrogate is refused. */
            text?: string | string[];
            /** @description Messages of a chat, in place of texts: the model’s template makes a text of them, as transformers does. `content` is a text, or parts of type `text`. */
            messages?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Tools of the chat, for the template. */
            tools?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Documents of the chat, for the template. */
            documents?: {
                [key: string]: unknown;
            }[] | null;
            /** @description A template, or the name of one of the model’s. Default: the model’s. */
            chat_template?: string | null;
            /** @description Variables of the template’s own: `{"enable_thinking": false}`. */
            chat_template_kwargs?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the text ends with the beginning of an answer. Default: unless the last message is continued. */
            add_generation_prompt?: boolean | null;
            /** @description Whether the last message stays open; a text: the message’s field that does. Default: false. */
            continue_final_message?: boolean | string | null;
            /** @description Adds `loss_mask`, for each id whether it is trained: `sampled`, those that the model itself would have sampled; `tags`, those in the template’s `{% generation %}` blocks. */
            mask?: ("sampled" | "tags") | null;
            /** @description Id of the model whose tokenizer is used. Default: `default`. */
            model?: string;
            /** @description Name of an encoding, instead of `model`. */
            encoding?: string;
            /** @description Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders. */
            allowed_special?: "all" | string[];
            /** @description Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none. Default: `false`. */
            add_special_tokens?: boolean;
            /** @description Answer with `num_tokens` and `num_characters` alone, and for a list `documents`: JSON in any case. Default: `false`. */
            count_only?: boolean;
        };
        DetokenizeFields: {
            /** @description Token ids, used exactly as given: one document, or an array of them. */
            input_ids: Ids;
            /** @description Id of the model whose tokenizer is used. Default: `default`. */
            model?: string;
            /** @description Name of an encoding, instead of `model`. */
            encoding?: string;
            /** @description Leave out special tokens, as `decode(skip_special_tokens=True)`. Default: `false`. */
            skip_special_tokens?: boolean;
        };
        RenderCompletionFields: {
            /** @description Id of the model. Default: the service’s default model. */
            model?: string | null;
            /**
             * @description Whose answer: the ids are `token_ids` for vLLM and those who speak it, `input_ids` for SGLang. Default: `vllm`.
             * @enum {string}
             */
            target?: "vllm" | "sglang";
            /** @description Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders. */
            allowed_special?: "all" | string[];
            /** @description A text, texts, the ids of a text, or those of several. */
            prompt: string | string[] | components["schemas"]["TokenId"][] | components["schemas"]["TokenId"][][];
            /** @description Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none. Default: `true`. */
            add_special_tokens?: boolean;
        };
        RenderChatFields: {
            /** @description Id of the model. Default: the service’s default model. */
            model?: string | null;
            /**
             * @description Whose answer: the ids are `token_ids` for vLLM and those who speak it, `input_ids` for SGLang. Default: `vllm`.
             * @enum {string}
             */
            target?: "vllm" | "sglang";
            /** @description Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders. */
            allowed_special?: "all" | string[];
            /** @description Messages of a chat, in place of texts: the model’s template makes a text of them, as transformers does. `content` is a text, or parts of type `text`. */
            messages: {
                [key: string]: unknown;
            }[];
            /** @description Tools of the chat, for the template. */
            tools?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Documents of the chat, for the template. */
            documents?: {
                [key: string]: unknown;
            }[] | null;
            /** @description A template, or the name of one of the model’s. Default: the model’s. */
            chat_template?: string | null;
            /** @description Variables of the template’s own: `{"enable_thinking": false}`. */
            chat_template_kwargs?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the text ends with the beginning of an answer. Default: unless the last message is continued. */
            add_generation_prompt?: boolean | null;
            /** @description Whether the last message stays open; a text: the message’s field that does. Default: false. */
            continue_final_message?: boolean | string | null;
            /** @description As vLLM hands it to the template: the variable of this name, and `enable_thinking`, false for `none`, unless `chat_template_kwargs` has that. */
            reasoning_effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
            /** @description Adds `assistant_tokens_mask`: 1 for each id in the template’s `{% generation %}` blocks, or where it has none for each that the model itself would have sampled. */
            return_assistant_tokens_mask?: boolean | null;
            /** @description Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none. Default: `false`. */
            add_special_tokens?: boolean;
        };
        DatasetsFields: {
            /** @description Most datasets of the answer. Default: `100`. */
            limit?: number;
            /** @description Only those that come after this id: the last one of the answer before. */
            after?: string;
        };
        DatasetPlanFields: {
            /** @description T, tokens in a window. */
            context_length: number;
            /**
             * Format: int64
             * @description Step between window starts, in tokens (not the overlap). Default: `context_length`.
             */
            stride?: number;
            /**
             * @description `drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.
             * @enum {string}
             */
            tail?: "drop" | "pad";
            /**
             * Format: int64
             * @description Id of padded slots. Default: the encoding’s end-of-text.
             */
            pad_token_id?: number;
            /**
             * @description `none`: windows of each document. `concat`: documents one after the other, windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit, right-padded. Default: `none`.
             * @enum {string}
             */
            packing?: "none" | "concat" | "best_fit";
            /**
             * @description Under `best_fit`: documents longer than T give all their pieces, their first T tokens alone, or none. Default: `split`.
             * @enum {string}
             */
            long_documents?: "split" | "truncate" | "drop";
            /**
             * Format: int64
             * @description Windows in a batch: of all ranks; under `distributed_sampler` of each.
             */
            batch_size: number;
            /** @description Leave out a last, short batch; under `distributed_sampler` it is the sampler’s `drop_last` too. Default: `false`. */
            drop_last?: boolean;
            /**
             * @description `true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed bijection, for any number of windows. Both need `seed`. Default: `false`.
             * @enum {string}
             */
            shuffle?: "false" | "true" | "index";
            /**
             * @description `global_batch`: each rank gets its part of every batch. `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
             * @enum {string}
             */
            sharding?: "global_batch" | "distributed_sampler";
            /**
             * Format: int64
             * @description Which of the ranks asks, from 0. Default: `0`.
             */
            rank?: number;
            /** @description Number of ranks. Default: `1`. */
            world_size?: number;
            /** @description Which pass over the dataset, from 0. Default: `0`. */
            epoch?: number;
            /** @description Of `shuffle`, −2^63 … 2^64 − 1. */
            seed?: Integer;
            /** @description Batches in one answer, side by side. Default: `1`. */
            num_batches?: number;
            /** @description A guard: 409 where this is not the id of the recipe that the other fields make. */
            recipe_id?: string;
            /** @description Id of the model. Default: the service’s default model. */
            model?: string;
            /** @description Position scheme. Default: the model’s own. */
            position_embedding?: components["schemas"]["PositionEmbedding"];
            /** @description What is done to the token rows. A model that was read from a checkpoint takes its own `model_type` only. */
            architecture?: components["schemas"]["Architecture"];
            /**
             * Format: int64
             * @description Position of a window’s first token. Default: `0`.
             */
            position_offset?: number;
            /** @description Names of the tensors to answer with. */
            outputs?: components["schemas"]["OutputName"][];
            /**
             * @description Element type of float outputs. Default: `float32`.
             * @enum {string}
             */
            dtype?: "float32" | "float16" | "bfloat16";
        };
        DatasetBatchFields: {
            /** @description T, tokens in a window. */
            context_length: number;
            /**
             * Format: int64
             * @description Step between window starts, in tokens (not the overlap). Default: `context_length`.
             */
            stride?: number;
            /**
             * @description `drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.
             * @enum {string}
             */
            tail?: "drop" | "pad";
            /**
             * Format: int64
             * @description Id of padded slots. Default: the encoding’s end-of-text.
             */
            pad_token_id?: number;
            /**
             * @description `none`: windows of each document. `concat`: documents one after the other, windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit, right-padded. Default: `none`.
             * @enum {string}
             */
            packing?: "none" | "concat" | "best_fit";
            /**
             * @description Under `best_fit`: documents longer than T give all their pieces, their first T tokens alone, or none. Default: `split`.
             * @enum {string}
             */
            long_documents?: "split" | "truncate" | "drop";
            /**
             * Format: int64
             * @description Windows in a batch: of all ranks; under `distributed_sampler` of each.
             */
            batch_size: number;
            /** @description Leave out a last, short batch; under `distributed_sampler` it is the sampler’s `drop_last` too. Default: `false`. */
            drop_last?: boolean;
            /**
             * @description `true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed bijection, for any number of windows. Both need `seed`. Default: `false`.
             * @enum {string}
             */
            shuffle?: "false" | "true" | "index";
            /**
             * @description `global_batch`: each rank gets its part of every batch. `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
             * @enum {string}
             */
            sharding?: "global_batch" | "distributed_sampler";
            /**
             * Format: int64
             * @description Which of the ranks asks, from 0. Default: `0`.
             */
            rank?: number;
            /** @description Number of ranks. Default: `1`. */
            world_size?: number;
            /** @description Which pass over the dataset, from 0. Default: `0`. */
            epoch?: number;
            /** @description Of `shuffle`, −2^63 … 2^64 − 1. */
            seed?: Integer;
            /** @description Batches in one answer, side by side. Default: `1`. */
            num_batches?: number;
            /** @description A guard: 409 where this is not the id of the recipe that the other fields make. */
            recipe_id?: string;
            /** @description Id of the model. Default: the service’s default model. */
            model?: string;
            /** @description Position scheme. Default: the model’s own. */
            position_embedding?: components["schemas"]["PositionEmbedding"];
            /** @description What is done to the token rows. A model that was read from a checkpoint takes its own `model_type` only. */
            architecture?: components["schemas"]["Architecture"];
            /**
             * Format: int64
             * @description Position of a window’s first token. Default: `0`.
             */
            position_offset?: number;
            /** @description Names of the tensors to answer with. */
            outputs?: components["schemas"]["OutputName"][];
            /**
             * @description Element type of float outputs. Default: `float32`.
             * @enum {string}
             */
            dtype?: "float32" | "float16" | "bfloat16";
        };
        DatasetBatchDocumentsFields: {
            /** @description T, tokens in a window. */
            context_length: number;
            /**
             * Format: int64
             * @description Step between window starts, in tokens (not the overlap). Default: `context_length`.
             */
            stride?: number;
            /**
             * @description `drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.
             * @enum {string}
             */
            tail?: "drop" | "pad";
            /**
             * Format: int64
             * @description Id of padded slots. Default: the encoding’s end-of-text.
             */
            pad_token_id?: number;
            /**
             * @description `none`: windows of each document. `concat`: documents one after the other, windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit, right-padded. Default: `none`.
             * @enum {string}
             */
            packing?: "none" | "concat" | "best_fit";
            /**
             * @description Under `best_fit`: documents longer than T give all their pieces, their first T tokens alone, or none. Default: `split`.
             * @enum {string}
             */
            long_documents?: "split" | "truncate" | "drop";
            /**
             * Format: int64
             * @description Windows in a batch: of all ranks; under `distributed_sampler` of each.
             */
            batch_size: number;
            /** @description Leave out a last, short batch; under `distributed_sampler` it is the sampler’s `drop_last` too. Default: `false`. */
            drop_last?: boolean;
            /**
             * @description `true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed bijection, for any number of windows. Both need `seed`. Default: `false`.
             * @enum {string}
             */
            shuffle?: "false" | "true" | "index";
            /**
             * @description `global_batch`: each rank gets its part of every batch. `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
             * @enum {string}
             */
            sharding?: "global_batch" | "distributed_sampler";
            /**
             * Format: int64
             * @description Which of the ranks asks, from 0. Default: `0`.
             */
            rank?: number;
            /** @description Number of ranks. Default: `1`. */
            world_size?: number;
            /** @description Which pass over the dataset, from 0. Default: `0`. */
            epoch?: number;
            /** @description Of `shuffle`, −2^63 … 2^64 − 1. */
            seed?: Integer;
            /** @description Batches in one answer, side by side. Default: `1`. */
            num_batches?: number;
            /** @description A guard: 409 where this is not the id of the recipe that the other fields make. */
            recipe_id?: string;
            /** @description The documents’ texts too, in runs of tokens that are trained or not. Default: `false`. */
            text?: boolean;
        };
        PutModelFields: {
            /**
             * @description Tokenizer. Default: `gpt2`.
             * @enum {string}
             */
            encoding?: "gpt2" | "r50k_base" | "p50k_base" | "cl100k_base" | "o200k_base";
            /** @description Rows of the token table, V. Default: the encoding’s highest id + 1. Ids beyond it are refused. */
            vocab_size?: number;
            /** @description Width of a row, C, in elements. */
            embedding_dim?: number;
            /** @description Rows of the learned position table, P. Default: `1024`. */
            max_position_embeddings?: number;
            /** @description Rows of the token-type table (BERT’s). Default: `2`. */
            type_vocab_size?: number;
            /** @description `torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1. Default: `123`. */
            seed?: Integer;
            /** @description Standard deviation of the tables; 1 is `nn.Embedding`’s own. Default: `1`. */
            init_std?: number;
            /** @description What is done to the token rows, and the position scheme where none is given. Default: `gpt2`. */
            architecture?: components["schemas"]["Architecture"];
            /** @description Position scheme. Default: the architecture’s. */
            position_embedding?: components["schemas"]["PositionEmbedding"];
        };
        GradientsFields: {
            /** @description Position of the first column of `gradients`, where `position_ids` are not sent. Default: 0. */
            position_offset?: number;
        };
        StepFields: {
            /** @description Learning rate of this step. */
            lr?: number;
            /** @description Factor of the gradients, before all else: `clip_grad_norm_`’s. Default: 1. */
            scale?: number;
            /** @description Weight decay of this step. */
            weight_decay?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type TokenId = components['schemas']['TokenId'];
export type PositionEmbeddingNone = components['schemas']['PositionEmbeddingNone'];
export type PositionEmbeddingLearnedAbsolute = components['schemas']['PositionEmbeddingLearnedAbsolute'];
export type PositionEmbeddingSinusoidal = components['schemas']['PositionEmbeddingSinusoidal'];
export type RopeScalingLinear = components['schemas']['RopeScalingLinear'];
export type RopeScalingDynamic = components['schemas']['RopeScalingDynamic'];
export type RopeScalingYarn = components['schemas']['RopeScalingYarn'];
export type RopeScalingLlama3 = components['schemas']['RopeScalingLlama3'];
export type RopeScaling = components['schemas']['RopeScaling'];
export type PositionEmbeddingRope = components['schemas']['PositionEmbeddingRope'];
export type PositionEmbeddingAlibi = components['schemas']['PositionEmbeddingAlibi'];
export type Seed = components['schemas']['Seed'];
export type PositionEmbeddingT5 = components['schemas']['PositionEmbeddingT5'];
export type PositionEmbeddingShaw = components['schemas']['PositionEmbeddingShaw'];
export type PositionEmbeddingTransformerXl = components['schemas']['PositionEmbeddingTransformerXl'];
export type PositionEmbeddingDeberta = components['schemas']['PositionEmbeddingDeberta'];
export type PositionEmbeddingOptions = components['schemas']['PositionEmbeddingOptions'];
export type PositionEmbedding = components['schemas']['PositionEmbedding'];
export type Architecture = components['schemas']['Architecture'];
export type OutputName = components['schemas']['OutputName'];
export type Embedding = components['schemas']['Embedding'];
export type EmbeddingsUsage = components['schemas']['EmbeddingsUsage'];
export type EmbeddingsAnswer = components['schemas']['EmbeddingsAnswer'];
export type PromptEmbedsAnswer = components['schemas']['PromptEmbedsAnswer'];
export type Neighbor = components['schemas']['Neighbor'];
export type NeighborsAnswer = components['schemas']['NeighborsAnswer'];
export type DetokenizedDocument = components['schemas']['DetokenizedDocument'];
export type DetokenizeAnswer = components['schemas']['DetokenizeAnswer'];
export type RenderedPrompt = components['schemas']['RenderedPrompt'];
export type RenderedPrompts = components['schemas']['RenderedPrompts'];
export type RefusedChat = components['schemas']['RefusedChat'];
export type ChatCounts = components['schemas']['ChatCounts'];
export type DatasetMember = components['schemas']['DatasetMember'];
export type DatasetStage = components['schemas']['DatasetStage'];
export type Dataset = components['schemas']['Dataset'];
export type DatasetList = components['schemas']['DatasetList'];
export type DatasetDocument = components['schemas']['DatasetDocument'];
export type DatasetRecipe = components['schemas']['DatasetRecipe'];
export type DatasetShare = components['schemas']['DatasetShare'];
export type DatasetPlan = components['schemas']['DatasetPlan'];
export type SeenText = components['schemas']['SeenText'];
export type SeenDocument = components['schemas']['SeenDocument'];
export type DatasetBatchDocuments = components['schemas']['DatasetBatchDocuments'];
export type ModelTokenizer = components['schemas']['ModelTokenizer'];
export type ModelPerLayer = components['schemas']['ModelPerLayer'];
export type ModelNgrams = components['schemas']['ModelNgrams'];
export type ModelMemory = components['schemas']['ModelMemory'];
export type ModelPooling = components['schemas']['ModelPooling'];
export type ModelTablesSeed = components['schemas']['ModelTablesSeed'];
export type ModelTablesFile = components['schemas']['ModelTablesFile'];
export type ModelTablesFolder = components['schemas']['ModelTablesFolder'];
export type ModelTablesUpload = components['schemas']['ModelTablesUpload'];
export type ModelTablesLearned = components['schemas']['ModelTablesLearned'];
export type ModelTables = components['schemas']['ModelTables'];
export type ModelError = components['schemas']['ModelError'];
export type LearningOptimizer = components['schemas']['LearningOptimizer'];
export type LearningCheckpoint = components['schemas']['LearningCheckpoint'];
export type ModelLearning = components['schemas']['ModelLearning'];
export type ModelLimits = components['schemas']['ModelLimits'];
export type Model = components['schemas']['Model'];
export type ModelList = components['schemas']['ModelList'];
export type TablesExchanged = components['schemas']['TablesExchanged'];
export type Optimizer = components['schemas']['Optimizer'];
export type RowsByTable = components['schemas']['RowsByTable'];
export type NormsByTable = components['schemas']['NormsByTable'];
export type GradientsAnswer = components['schemas']['GradientsAnswer'];
export type StepAnswer = components['schemas']['StepAnswer'];
export type SavedCheckpoint = components['schemas']['SavedCheckpoint'];
export type Health = components['schemas']['Health'];
export type InputEmbeddingsFields = components['schemas']['InputEmbeddingsFields'];
export type PositionEmbeddingsFields = components['schemas']['PositionEmbeddingsFields'];
export type EmbeddingsFields = components['schemas']['EmbeddingsFields'];
export type PromptEmbedsFields = components['schemas']['PromptEmbedsFields'];
export type NeighborsFields = components['schemas']['NeighborsFields'];
export type TokenizeFields = components['schemas']['TokenizeFields'];
export type DetokenizeFields = components['schemas']['DetokenizeFields'];
export type RenderCompletionFields = components['schemas']['RenderCompletionFields'];
export type RenderChatFields = components['schemas']['RenderChatFields'];
export type DatasetsFields = components['schemas']['DatasetsFields'];
export type DatasetPlanFields = components['schemas']['DatasetPlanFields'];
export type DatasetBatchFields = components['schemas']['DatasetBatchFields'];
export type DatasetBatchDocumentsFields = components['schemas']['DatasetBatchDocumentsFields'];
export type PutModelFields = components['schemas']['PutModelFields'];
export type GradientsFields = components['schemas']['GradientsFields'];
export type StepFields = components['schemas']['StepFields'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
