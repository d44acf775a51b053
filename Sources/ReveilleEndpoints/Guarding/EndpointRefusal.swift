/// What is said of an endpoint that cannot be sent to now: nothing but that.
///
/// Whoever registered it must not learn from us which names and addresses there are in this network: a name without an address, one
/// that leads to a private network and a name server that is silent look alike.
package enum EndpointRefusal: String, Error, CaseIterable, Sendable {
    case refused = "endpoint_refused"
}
