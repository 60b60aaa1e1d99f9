import Base
import CryptoBridge

@testable import TrustKit

/// For fuzzing only: reads a trusted list without verifying its signature.
enum TrustListFuzzing {
    static func run(_ bytes: [UInt8]) {
        _ = try? TrustList(document: bytes)
        _ = TrustListHint(bytes)
        guard let reader = try? TrustListReader(bytes) else { return }
        let services = ServiceIndex(reader.services).services
        for service in services {
            let state = service.state(at: CalendarTime(secondsSinceEpoch: 1_500_000_000))
            for certificate in service.certificates {
                _ = CertificateAssessment(
                    of: certificate, services: ServiceIndex(services),
                    at: state?.start ?? certificate.notBefore)
            }
        }
    }
}
