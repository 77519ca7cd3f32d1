const words = (text: string) => text.trim().split(/\s+/)

/** Types of models by the class of their tokenizer. Source: transformers 5.24, `TOKENIZER_MAPPING_NAMES`. */
const TYPES: Readonly<Record<string, string>> = {
  BertTokenizer: `
    align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git grounding-dino
    layoutlm megatron-bert mm-grounding-dino nezha nomic_bert qdqbert realm retribert squeezebert tvp vilt
    visual_bert
  `,
  Qwen2Tokenizer: `
    audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr
    moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl
    qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice
  `,
  Qwen3_5Tokenizer: 'qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp',
  GPT2Tokenizer: `
    blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip instructblipvideo jais2
    opt phi starcoder2
  `,
  GemmaTokenizer: `
    diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2
    t5gemma zaya
  `,
  GPTNeoXTokenizer: 'falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm',
  CohereTokenizer: 'aya_vision cohere cohere2',
  LlamaTokenizer: 'idefics idefics2',
  CodeLlamaTokenizer: 'code_llama',
  TokenizersBackend: `
    EvollaModel arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5
    ernie4_5_moe flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr got_ocr2
    gpt_bigcode gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared h2ovl_chat
    hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear kosmos-2 llava
    llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 minimax_m2 ministral
    ministral3 mistral mistral3 mistral_large4 mixtral modernbert modernbert-decoder molmo molmo2
    nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid omniasr opencua openvla paddleocr_vl
    pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts smolvlm stablelm step3_vl umt5
    vipllava voxtral voxtral_realtime xlm-roberta-xl
  `,
  // Code that is not here.
  Other: `
    aimv2 albert bart barthez bartpho bert-generation bert-japanese bertweet big_bird biogpt blenderbot
    blenderbot-small bridgetower byt5 camembert canine clap clip clipseg clvp cpm cpmant ctrl data2vec-audio
    data2vec-text deberta deberta-v2 dia dpr esm esmc esmfold2 fastspeech2_conformer flaubert florence2 fnet
    fsmt funnel gpt-sw3 gpt_neox_japanese granite_speech5_ctc groupvit gte herbert hubert ibert
    jina_embeddings_v3 lasr_ctc lasr_encoder layoutlmv2 layoutlmv3 layoutxlm led lilt longformer luke lxmert
    m2m_100 marian markuplm mbart mbart50 mega metaclip_2 mgp-str mluke mobilebert mpnet mra mt5 musicgen
    musicgen_melody mvp myt5 nemotron3_5_asr nemotron_asr_streaming nllb nllb-moe nougat omdet-turbo
    omniasr_ctc oneformer openai-gpt owlv2 owlvit parakeet_ctc parakeet_rnnt parakeet_tdt pegasus perceiver
    phobert plbart pp_formulanet prophetnet rag reformer rembert roberta roberta-prelayernorm roc_bert
    roformer sam3 sam3_video seamless_m4t seamless_m4t_v2 siglip siglip2 speech_to_text speecht5 splinter
    switch_transformers t5 tapas tipsv2 trocr udop unispeech unispeech-sat videoprism vits wav2vec2
    wav2vec2-bert wav2vec2-conformer wav2vec2_phoneme whisper xclip xglm xlm xlm-roberta xlnet xmod yoso
  `,
}

/** The class of the tokenizer by `model_type`; other types take the class that their files name. */
export const CLASS_OF_TYPE: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([name, types]) => words(types).map((type) => [type, name] as const)),
)

/** Types of models whose files name a wrong class. Source: `MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS`. */
export const MISNAMED_TYPES: ReadonlySet<string> = new Set(
  words(`
    arctic camembertv2-base chatlm cohere_asr ernie4_5 ernie4_5_moe fuyu h2ovl_chat hyperclovax
    hyperclovax_vision_v2 hyperclovax_vlm internlm2 internlm3 iquestcoder jamba llava llava_next minicpm3
    minicpmv minimax_m2 modernbert modernbert-decoder molmo molmo2 nemotron nvfp4 opencua openvla
    paddleocr_vl phi3 phi3_v phimoe qwen2 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen4_exp siglip2 smolvlm
    step3_vl vipllava
  `),
)

/** Classes that make a tokenizer by code that is not here. */
export const OTHER_CLASSES: ReadonlySet<string> = new Set(
  words(`
    Albert Bart Barthez Bartpho Basic BertGeneration BertJapanese Bertweet BigBird BioGpt BlenderbotSmall
    Blenderbot ByT5 CLIP CTRL Camembert Canine Character Clvp CodeGen ConvBert CpmAnt Cpm DPRContextEncoder
    DPRQuestionEncoder DPRReader Deberta DebertaV2 Dia DistilBert Esm Esmc FNet FSMT FastSpeech2Conformer
    Flaubert Funnel GPTNeoXJapanese GPTSw3 Herbert LED Lasr LayoutLMv2 LayoutLMv3 LayoutXLM Luke Lxmert
    M2M100 MBart50 MBart MLuke MPNet Marian MarkupLM Mecab Mgpstr MobileBert Mvp MyT5 Nllb Nougat OpenAIGPT
    PLBart Pegasus Perceiver Phobert Pop2Piano ProphetNet Rag Reformer RemBert RoCBert RoFormer Roberta
    SeamlessM4T Siglip2 Siglip Speech2Text SpeechT5 Splinter SqueezeBert T5 Tapas Tipsv2 Udop VideoPrism
    Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC Whisper Wordpiece XGLM XLMRoberta XLM XLNet
  `).map((name) => `${name}Tokenizer`),
)
