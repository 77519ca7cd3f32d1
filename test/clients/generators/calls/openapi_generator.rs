// Five calls by the client that openapi-generator's `rust` makes. Argument: the service's URL.
use inlet_generated::apis::{configuration::Configuration, embeddings_api, models_api, tokens_api, Error};
use inlet_generated::models::{DetokenizeRequest, ErrorAnswer, ErrorCode, InputEmbeddingsRequest, OutputName, Texts, TokenizeRequest};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut service = Configuration::new();
    service.base_path = std::env::args().nth(1).unwrap();
    service.bearer_access_token = Some("operator".to_owned());

    let models = models_api::list_models(&service).await.unwrap();
    assert_eq!(models.data[0].id, "default");
    let mut request = InputEmbeddingsRequest::new();
    request.text = Some(Box::new(Texts::String("Hello, world!".to_owned())));
    request.outputs = Some(vec![OutputName::InputIds]);
    let answer = embeddings_api::create_input_embeddings(&service, request, ABSENT).await.unwrap();
    assert_eq!((answer.num_tokens, answer.outputs.input_ids.unwrap().shape), (4, vec![1, 4]));
    let texts = Texts::ArrayVecString(vec!["Hello, world!".to_owned(), "Hello".to_owned()]);
    let tokenized = TokenizeRequest { text: Some(Box::new(texts)), ..Default::default() };
    let tokens = tokens_api::tokenize(&service, tokenized).await.unwrap();
    assert_eq!(tokens.input_ids.unwrap(), vec![15496, 11, 995, 0, 15496]);
    assert_eq!(tokens.documents.unwrap()[1].start, 4);
    let tables = models_api::get_tables(&service, "default", None).await.unwrap();
    assert!(tables.bytes().await.unwrap().len() > 50257 * 8 * 4);
    match tokens_api::detokenize(&service, DetokenizeRequest::new(vec![50257])).await {
        Err(Error::ResponseError(refused)) => {
            // Its enum of errors takes the first status whose body fits; all are of one form.
            let body: ErrorAnswer = serde_json::from_str(&refused.content).unwrap();
            assert_eq!((refused.status.as_u16(), body.error.code), (422, ErrorCode::TokenOutOfRange));
        }
        _ => panic!("refused"),
    }
}
