import Foundation
import Testing

/// A URL with what the policy says of it.
struct EndpointVector: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let url: String
    let kind: String
    let allow: Bool
    let why: String
    let rule: String
    let resolves: [String]?

    var testDescription: String { "\(id): \(why)" }
}

/// The vectors of endpoints, with the lists that they were made from.
struct EndpointVectors: Decodable, Sendable {
    let webpushHosts: [String]
    let webpushSuffixes: [String]
    let specialNames: [String]
    let refusedIpv4: [String]
    let refusedIpv6: [String]
    let requiredIpv6: String
    let cases: [EndpointVector]

    static let all: EndpointVectors = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let file = Bundle.module.url(forResource: "endpoints", withExtension: "json", subdirectory: "Vectors"),
            let data = try? Data(contentsOf: file),
            let vectors = try? decoder.decode(EndpointVectors.self, from: data)
        else { preconditionFailure("the vectors of endpoints cannot be read") }
        return vectors
    }()
}
